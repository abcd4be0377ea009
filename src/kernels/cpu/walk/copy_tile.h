#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/walk/strided_box.h"
#include "kernels/isa/transpose_table.h"

namespace tessera::kernels {

/// A part of a box that is read along one set of dimensions and written along another, small enough
/// that a buffer of it stays in the cache: it is read in runs of neighbours, and written in runs,
/// each of some lines of 64 bytes.
///
/// `along` numbers the positions of the dimensions that are read along neighbours, `across` those
/// of the others. Element (a, b) is read at the sum of both places, and is in the buffer, which has
/// the order of the target, at the sum of both.
class CopyTile {
 public:
  /// Returns bytes of work for any box.
  static int64_t workspace_bytes();

  /// Chooses the tile of a sorted box, of elements of `unit` bytes. Returns false if the box has
  /// none: it is not written along neighbours, or no dimension but the first is read forward in
  /// smaller steps, or its runs are too short.
  bool choose(const StridedBox& box, int64_t unit, const std::byte* to,
              std::byte* workspace) noexcept;

  /// Returns the distance of neighbouring tiles along a dimension, in positions.
  int64_t step(size_t dim) const { return step_[dim]; }
  /// Returns the positions of a dimension in a tile; fewer at the end of a box. It may reach into
  /// the next tile, up to the end of a line.
  int64_t extent(size_t dim) const { return extent_[dim]; }
  /// Numbers the places of a tile of these extents.
  void number(const std::array<int64_t, StridedBox::kMaxDims>& extent) noexcept;

  const TilePlaces& along() const { return along_; }
  const TilePlaces& across() const { return across_; }
  bool is_along(size_t dim) const { return is_along_[dim]; }
  /// True if positions along are contiguous in the source.
  bool reads_neighbours() const { return reads_neighbours_; }
  /// Returns the positions across that are contiguous in the buffer.
  int64_t side_by_side() const { return side_by_side_; }

  /// Runs in the target and in the buffer.
  const TilePlaces& written() const { return written_; }
  /// Returns the bytes of each numbered run of the tile that begins at a position of the box.
  RunBytes run_bytes(const std::array<int64_t, StridedBox::kMaxDims>& position) const noexcept;
  /// Lines of the source.
  const TilePlaces& fetched() const { return fetched_; }

  std::byte* buffer() const { return buffer_; }

 private:
  void choose_along(int64_t most) noexcept;
  void choose_across(int64_t run) noexcept;
  void grow() noexcept;
  void grow_runs() noexcept;
  void reach_further() noexcept;
  void number_buffer() noexcept;
  void number_reads() noexcept;
  int64_t num_places(bool along) const noexcept;

  const StridedBox* box_ = nullptr;
  int64_t unit_ = 1;
  std::array<int64_t, StridedBox::kMaxDims> step_;
  std::array<int64_t, StridedBox::kMaxDims> extent_;
  int ragged_dim_ = -1;  // along which runs continue and lines begin at different places
  std::array<int64_t, StridedBox::kMaxDims> buffer_step_;
  std::array<bool, StridedBox::kMaxDims> is_along_;
  /// Dimensions by their read steps, 0 last.
  std::array<size_t, StridedBox::kMaxDims> by_read_;
  bool reads_neighbours_ = false;
  bool reads_ragged_ = false;
  int64_t side_by_side_ = 0;
  TilePlaces along_, across_, written_, fetched_;
  int64_t written_bytes_ = 0;
  std::byte* buffer_ = nullptr;
};

}  // namespace tessera::kernels
