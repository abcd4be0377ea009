#pragma once

#include <array>
#include <optional>
#include <span>

#include "kernels/cpu/blocked/state_merger.h"
#include "kernels/isa/merged_function_table.h"

namespace tessera::kernels {

/// An accumulator of blocks of states, one lane per position of a block, in a fixed order that
/// depends only on the block's size and the number of blocks:
///
///   leaf    kLeaf blocks one after the other, lane by lane
///   pairs   leaves are merged pairwise (the first with the second, the third with the fourth, then
///           those, ...)
///   lanes   at the end the lanes of one result are halved: lane e merges lane e + ceil(lanes / 2),
///           until one is left
///
/// so the error of a sum of n terms grows with kLeaf + log2(n), not with n (Higham, SISC 14(4),
/// 1993). If merging is exact, so that its order does not show, all blocks are one leaf. Threads:
/// one.
class BlockAccumulator {
 public:
  static constexpr int64_t kLeaf = 16;

  /// Returns bytes of work for a reduction of at most `num_blocks` blocks.
  static int64_t workspace_bytes(const BlockReduction& reduction, int64_t num_blocks);

  /// `memory` is of workspace_bytes(), aligned to 64.
  void bind(const BlockReduction& reduction, std::byte* memory) noexcept;

  /// Starts results of `lanes` = (reduced lanes) * `out_lanes` lanes; result lanes lie side by
  /// side.
  void begin(int64_t lanes, int64_t out_lanes) noexcept;

  /// Merges a block of `count` <= lanes states; `states` has one buffer per state entry.
  Status add(const void* const* states, int64_t count) noexcept;

  /// Sets if every merge is exact, in any order.
  void set_exact(bool is_exact) noexcept { is_exact_ = is_exact; }

  /// Makes add_blocks() multiply for a state whose elements all are one constant integer that is
  /// summed.
  void count_constants(size_t state, std::optional<int64_t> summand) noexcept {
    summand_[state] = summand;
  }

  /// Makes add_blocks() take blocks of the first state's operand, and merge them with this fold;
  /// null: blocks of the state itself.
  void merge_first_by(MergedColumns columns) noexcept { first_columns_ = columns; }

  /// True if blocks can be merged several at a time, in place.
  bool has_columns() const { return !reduction_->columns().empty(); }
  /// Returns the number of blocks that the current leaf still takes.
  int64_t room_in_leaf() const { return kLeaf - blocks_in_leaf_; }
  /// Merges `num_blocks` <= room_in_leaf() blocks of as many states as there are lanes, in the same
  /// order as add(): `blocks` has their addresses for every state entry.
  Status add_blocks(std::span<const std::array<const void*, kLeaf>> blocks,
                    int64_t num_blocks) noexcept;

  /// Merges the lanes; afterwards state(s) holds out_lanes results.
  Status finish() noexcept;

  /// Merges finished results into `before`: state = combine(before, state).
  Status merge_before(const void* const* before, int64_t count) noexcept;

  /// Returns a state's kBlock elements, for callers that make finished results by other means.
  void* state(size_t number) const { return leaf_[number]; }
  size_t num_states() const { return merger_.num_states(); }
  /// Bytes of an element of a state entry.
  int64_t size(size_t state) const { return merger_.size(state); }

 private:
  Status push_full_leaf() noexcept;
  void write_counts() noexcept;
  void fill_identity(int64_t from, int64_t to) noexcept;

  const BlockReduction* reduction_ = nullptr;
  StateMerger merger_;
  std::array<std::optional<int64_t>, kMaxStates> summand_;
  MergedColumns first_columns_ = nullptr;
  StateBuffers leaf_;  // the leaf being filled, then the result
  StateBuffers shifted_;
  int64_t lanes_ = 0;
  int64_t out_lanes_ = 0;
  bool is_exact_ = false;
  bool has_leaf_ = false;        // something was merged into the leaf
  int64_t blocks_in_leaf_ = 0;   // of kLeaf
  int64_t blocks_to_count_ = 0;  // missing from the leaf's counted states
};

}  // namespace tessera::kernels
