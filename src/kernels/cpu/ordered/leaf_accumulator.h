#pragma once

#include "kernels/cpu/blocked/state_merger.h"

namespace tessera::kernels {

/// An accumulator that merges blocks of states in the order of leaf_order.h, for several items at
/// once: results that are reduced side by side, or leaves of one result.
///
/// A leaf is filled block by block: begin_leaf(), add() for up to kLanes positions of every item,
/// end_leaf(). The items' results are then pushed as leaves of as many trees (push_leaves, of one
/// tree each), or merged as neighbours of one tree (push_neighbours); end_tree() leaves the results
/// in state(). Every call takes the number of items. Threads: one.
class LeafAccumulator {
 public:
  /// Returns bytes of work for at most `items` items and `num_leaves` leaves of one tree.
  static int64_t workspace_bytes(const BlockReduction& reduction, int64_t items,
                                 int64_t num_leaves);

  /// `memory` is of workspace_bytes(), aligned to 64.
  void bind(const BlockReduction& reduction, int64_t items, std::byte* memory) noexcept;

  /// Begins a leaf. `items` * `lanes` <= kBlock. `items_inner` is the layout of blocks: true if the
  /// items of a position are side by side, false if the positions of an item are.
  void begin_leaf(int64_t items, int64_t lanes, bool items_inner) noexcept;

  /// Merges a block of states, one buffer per state entry; all but the last positions of a label
  /// come kLanes at a time. REQUIRES positions <= lanes, and equal in the first block.
  Status add(const void* const* states, int64_t positions) noexcept;

  /// The buffers of the items' results, with room for kBlock lanes of each state before, for a
  /// caller that makes them itself instead of calling begin_leaf() to end_leaf().
  const StateBuffers& states() const { return lanes_; }

  Status end_leaf() noexcept;

  void begin_tree() noexcept { merger_.begin_tree(); }
  Status push_leaves(int64_t items) noexcept;
  /// Pushes the items as `items` consecutive leaves of one tree.
  Status push_neighbours(int64_t items) noexcept;
  Status end_tree(int64_t items) noexcept;

  const void* state(size_t number) const { return lanes_[number]; }
  size_t num_states() const { return merger_.num_states(); }

 private:
  Status add_last_positions(const void* const* states, int64_t positions) noexcept;
  void transpose() noexcept;
  Status push_one_by_one(int64_t items) noexcept;
  Status halve_neighbours(int64_t items) noexcept;

  StateMerger merger_;
  StateBuffers lanes_;  // of the current leaf, then its results
  StateBuffers shifted_;
  int64_t items_ = 0;
  int64_t num_lanes_ = 0;
  bool items_inner_ = true;
  bool is_first_ = true;
};

}  // namespace tessera::kernels
