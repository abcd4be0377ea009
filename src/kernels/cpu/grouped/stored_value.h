#pragma once

#include <optional>

#include "kernels/cpu/grouped/merging.h"
#include "kernels/cpu/grouped/reading.h"

namespace tessera::kernels {

/// What is merged where it is an element of an operand as it lies there, or such a row times one
/// number: nothing has to be computed before. Leaves of the values, by number.
struct StoredValue {
  size_t element = 0;
  std::optional<size_t> factor;  // has not the inner label
  MergeRows merge = nullptr;
};

/// True if the value of a stage is an integer that an operand stores at the labels of rows.
bool is_stored_number(const LeafExpressions& stage);

std::optional<StoredValue> stored_value_of(const GroupedProgram& program,
                                           const expr::Monoid& monoid, Isa isa);

}  // namespace tessera::kernels
