#pragma once

#include <array>
#include <optional>
#include <vector>

#include "kernels/cpu/grouped/merging.h"
#include "kernels/cpu/grouped/reading.h"

namespace tessera::kernels {

/// A state that is merged without computing anything: an element of an operand in place, such a row
/// times one number, or a constant. Numbers are leaves of the values.
struct StoredValue {
  std::optional<size_t> element;  // none: the constant
  std::array<std::byte, 16> constant{};
  std::optional<size_t> factor;  // lacks the inner label
  MergeRows merge = nullptr;
};

/// True if the value of a stage is an integer that an operand stores at the labels of rows.
bool is_stored_number(const LeafExpressions& stage);

/// Returns the value that is merged into each state; empty if some state has to be computed.
std::vector<StoredValue> stored_values_of(const GroupedProgram& program, const expr::Monoid& monoid,
                                          Isa isa);

}  // namespace tessera::kernels
