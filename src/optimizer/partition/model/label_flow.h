#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/partition/model/model.h"

namespace tessera::optimizer::partition {

/// Which labels of different statements run along the same mode of some tensor, whatever they are
/// called there.
struct LabelFlow {
  std::vector<std::vector<int32_t>> flow_of;  // by statement, by label
  std::optional<int32_t> batch;               // the first mode of the first input that has several
};

LabelFlow label_flow_of(const Model& model);

/// Fills in for every label the bytes of the intermediates that have it, under any name. An
/// intermediate is what one statement makes and another reads.
void measure_reach(Model& model);

}  // namespace tessera::optimizer::partition
