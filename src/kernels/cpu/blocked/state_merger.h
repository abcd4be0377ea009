#pragma once

#include <array>

#include "kernels/cpu/blocked/machine.h"
#include "kernels/cpu/blocked/reduction.h"

namespace tessera::kernels {

/// Arrays of states side by side, one per state entry of a monoid, each aligned to 64.
using StateBuffers = std::array<std::byte*, kMaxStates>;

/// Returns such arrays for reading.
inline const void* const* as_states(const StateBuffers& buffers) {
  return reinterpret_cast<const void* const*>(buffers.data());
}

/// A merger of arrays of states with a monoid: two of them element by element, the rows of one with
/// each other, and consecutive ones as a binary tree.
///
/// The tree merges the first array with the second, the third with the fourth, then those; one
/// without a partner goes up unchanged. It keeps one array per level, like the digits of a binary
/// counter. Threads: one.
class StateMerger {
 public:
  /// Returns bytes of work for two working arrays of kBlock states, and trees of at most
  /// `num_leaves` arrays of at most `width` states.
  static int64_t workspace_bytes(const BlockReduction& reduction, int64_t width,
                                 int64_t num_leaves);

  /// `memory` is of workspace_bytes(), aligned to 64. The caller gets the two working arrays:
  /// `state` for results of merging, `shifted` for states brought to another place.
  void bind(const BlockReduction& reduction, int64_t width, std::byte* memory, StateBuffers& state,
            StateBuffers& shifted) noexcept;

  size_t num_states() const { return num_states_; }
  /// Bytes of an element of a state entry.
  int64_t size(size_t state) const { return size_[state]; }

  /// Computes into[e] = combine(left[e], right[e]) for e < count; `into` may be one of the two.
  Status combine(const void* const* left, const void* const* right, const StateBuffers& into,
                 int64_t count) noexcept;

  void copy(const void* const* from, const StateBuffers& to, int64_t count) const noexcept;

  /// Halves [rows, columns] states until one row is left: of r rows, row e merges row
  /// e + ceil(r / 2) from the right. `shifted` is a working array.
  Status fold_rows(const StateBuffers& states, const StateBuffers& shifted, int64_t rows,
                   int64_t columns) noexcept;

  void begin_tree() noexcept { num_leaves_ = 0; }
  uint64_t num_leaves() const { return num_leaves_; }
  /// Takes the next array, which is a merge of 2^rank leaves already and is overwritten. REQUIRES
  /// that num_leaves() is a multiple of 2^rank.
  Status push(const StateBuffers& leaf, int64_t rank, int64_t count) noexcept;
  /// Merges the levels into `result`, which may hold a last array, shorter than a leaf
  /// (`has_last`). Leaves it unchanged if there is no leaf.
  Status end_tree(const StateBuffers& result, bool has_last, int64_t count) noexcept;

 private:
  StateBuffers level(int64_t number) const noexcept;

  BlockMachine machine_;
  size_t num_states_ = 0;
  std::array<int64_t, kMaxStates> size_;
  int64_t width_ = 0;
  std::byte* levels_ = nullptr;  // level j holds a merge of 2^j leaves
  int64_t level_bytes_ = 0;
  uint64_t num_leaves_ = 0;
};

}  // namespace tessera::kernels
