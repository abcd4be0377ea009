#pragma once

#include <array>
#include <cstdint>

#include "kernels/block_function.h"
#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// A block has at most log2(kBlock) labels of more than one position.
constexpr int kMaxBlockDims = 10;

/// The part of the space that one block covers: a box of at most kBlock positions, laid out densely
/// in a block's buffers with dimension 0 innermost.
///
/// A block of lanes has the kept labels first, so a reduction finds its results side by side. A
/// block of rows has the reduced labels first: it holds whole rows, one after the other, or a part
/// of one.
struct BlockShape {
  int num_dims = 0;
  int first_out_dim = 0;
  int num_out_dims = 0;
  bool has_rows = false;
  /// The label whose last block is as long as the others, and begins before they end; -1: none.
  int overlapping = -1;
  std::array<int, kMaxBlockDims> label;
  std::array<int64_t, kMaxBlockDims> extent;

  int64_t count() const;      // positions in the block
  int64_t out_lanes() const;  // positions of its kept labels
};

/// Chooses the block of a simplified space: the innermost label is the one that most streams walk
/// element by element. A label is added beside it if a stream crosses it (a transposed operand is
/// read in squares, so that every cache line is used whole), and more labels as long as the block
/// is less than half full.
///
/// A block of rows, if `may_have_rows`, the reduced label is the innermost and it is not short. If
/// elements `may_repeat`, that is may be computed twice, blocks of a map that are rows may overlap.
BlockShape choose_block(const IterationSpace& space, bool may_have_rows, bool may_repeat) noexcept;

/// True if blocks are parts of one row each, along the last label.
bool are_single_rows(const IterationSpace& space, const BlockShape& block) noexcept;

/// Returns the results side by side along the last kept label if that is a block's innermost; else
/// 0.
int64_t num_columns(const IterationSpace& space, const BlockShape& block) noexcept;

}  // namespace tessera::kernels
