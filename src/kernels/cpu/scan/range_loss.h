#pragma once

#include <cstdint>

#include "kernels/cpu/blocked/state_merger.h"

namespace tessera::kernels {

/// States of lines side by side, by entry: the state before a part, the part's merge from the
/// identity, and the merge of these two.
struct MergedStates {
  const StateBuffers& before;
  const StateBuffers& part;
  const StateBuffers& merged;
};

/// The loss of a line that is merged and not walked from the state before a part, because the part
/// by itself left the range of its type. Only floats and complex numbers have such a range.
enum class RangeLoss : uint8_t {
  none,
  zero,  // the part is 0: it vanished (1e300 before 1e-400), or an element of it is 0
  some   // it overflowed (1e-300 before 1e400, or 0 before infinity, which makes no number)
};

/// Returns the loss of one line.
RangeLoss range_loss(const expr::Monoid& monoid, const MergedStates& states, int64_t line) noexcept;

/// True if some of `count` lines lose anything.
bool loses_range(const expr::Monoid& monoid, const MergedStates& states, int64_t count) noexcept;

}  // namespace tessera::kernels
