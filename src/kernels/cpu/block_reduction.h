#pragma once

#include <array>

#include "expr/monoid.h"
#include "kernels/cpu/block_machine.h"

namespace tessera::kernels {

/// More state entries than this are refused by name.
constexpr int kMaxStates = 8;

/// Merges blocks of states, one lane per position of a block, in a fixed order that depends on
/// nothing but the block's size and how many blocks there are:
///
///   leaf    kLeaf blocks one after the other, lane by lane
///   pairs   leaves are merged pairwise (the first with the second, the third with the fourth, then
///   those, ...) lanes   at the end the lanes of one result are halved: lane e merges lane e +
///   ceil(lanes / 2), until one is left
///
/// so the error of a sum of n terms grows with kLeaf + log2(n), not with n (Higham, SISC 14(4),
/// 1993).
class BlockReduction {
 public:
  static constexpr int64_t kLeaf = 16;

  /// Compiles a monoid's combine. `reason` says why it cannot, and is empty where it can.
  BlockReduction(const expr::Monoid& monoid, Isa isa, std::string& reason);

  /// Bytes of work for a reduction of at most `num_blocks` blocks.
  int64_t workspace_bytes(int64_t num_blocks) const;

  const expr::Monoid& monoid() const { return monoid_; }
  const BlockProgram& program() const { return program_; }

 private:
  expr::Monoid monoid_;
  BlockProgram program_;
};

/// One reduction in progress. Threads: one.
class BlockAccumulator {
 public:
  /// `memory` is of reduction.workspace_bytes(), aligned to 64.
  void bind(const BlockReduction& reduction, std::byte* memory) noexcept;

  /// Starts results of `lanes` = (reduced lanes) * `out_lanes` lanes; result lanes lie side by
  /// side.
  void begin(int64_t lanes, int64_t out_lanes) noexcept;

  /// Merges a block of `count` <= lanes states; `states` has one buffer per state entry.
  Status add(const void* const* states, int64_t count) noexcept;

  /// Merges the lanes; afterwards state(s) holds out_lanes results.
  Status finish() noexcept;

  /// Merges finished results into `before`: state = combine(before, state).
  Status merge_before(const void* const* before, int64_t count) noexcept;

  /// kBlock elements, for who makes finished results by other means.
  void* state(size_t number) const { return leaf_[number]; }
  size_t num_states() const { return num_states_; }

 private:
  using Buffers = std::array<std::byte*, kMaxStates>;
  Status combine(const void* const* left, const void* const* right, const Buffers& into,
                 int64_t count) noexcept;
  Status push_leaf() noexcept;
  Status merge_leaves() noexcept;
  Status fold_lanes() noexcept;
  void copy(const void* const* from, const Buffers& to, int64_t count) noexcept;
  void fill_identity(int64_t from, int64_t to) noexcept;
  Buffers level(int64_t number) const;

  const BlockReduction* reduction_ = nullptr;
  BlockMachine machine_;
  size_t num_states_ = 0;
  std::array<int64_t, kMaxStates> size_;  // bytes of a state entry's element
  Buffers leaf_;                          // the leaf being filled, then the result
  Buffers shifted_;                       // lanes brought to an aligned place
  std::byte* levels_ = nullptr;           // merged leaves: level k holds 2^k of them
  int64_t level_bytes_ = 0;
  int64_t lanes_ = 0;
  int64_t out_lanes_ = 0;
  int64_t blocks_in_leaf_ = 0;
  int64_t num_leaves_ = 0;
};

}  // namespace tessera::kernels
