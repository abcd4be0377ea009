#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/partition/model/model.h"

namespace tessera::optimizer::partition {

/// The flows of labels: labels of different statements, under any name, that run along the same
/// mode of some tensor.
struct LabelFlow {
  std::vector<std::vector<int32_t>> flow_of;  // by statement, by label
  std::optional<int32_t> batch;               // the first mode of the first input that has several
};

LabelFlow label_flow_of(const Model& model);

/// Computes, for every label, the bytes of the intermediates that have it, under any name. An
/// intermediate is made by one statement and read by another.
void measure_reach(Model& model);

}  // namespace tessera::optimizer::partition
