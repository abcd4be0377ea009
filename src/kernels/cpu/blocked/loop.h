#pragma once

#include <algorithm>
#include <array>

#include "kernels/cpu/blocked/shape.h"

namespace tessera::kernels {

/// Moves every stream's origin some positions along a label; nowhere along label -1.
inline void move_along(const IterationSpace& space, int label, int64_t positions,
                       int64_t* origins) {
  for (int stream = 0; label >= 0 && stream < space.num_streams; ++stream) {
    origins[stream] +=
        positions * space.streams[static_cast<size_t>(stream)].step[static_cast<size_t>(label)];
  }
}

/// A walk over the blocks of a space along labels [first, last), with every stream's origin kept up
/// to date. Inline: a step is taken for every block.
class BlockLoop {
 public:
  /// `block` is as large as blocks become; those at the end of a label may be shorter.
  BlockLoop(const IterationSpace& space, const BlockShape& block, int first, int last)
      : space_(space), first_(first), last_(last), overlapping_(block.overlapping) {
    std::fill(stride_.begin() + first, stride_.begin() + last, 1);
    std::fill(dim_.begin() + first, dim_.begin() + last, -1);
    for (int dim = 0; dim < block.num_dims; ++dim) {
      const auto label = static_cast<size_t>(block.label[static_cast<size_t>(dim)]);
      stride_[label] = block.extent[static_cast<size_t>(dim)];
      dim_[label] = dim;
    }
  }

  /// Goes to the first block. REQUIRES no label of length 0.
  void start(BlockShape& block) {
    for (int label = first_; label < last_; ++label) {
      position_[static_cast<size_t>(label)] = 0;
      cut(block, static_cast<size_t>(label));
    }
    has_new_shape_ = true;
  }

  /// True if the block has another shape than before the last step, or is the first.
  bool has_new_shape() const { return has_new_shape_; }

  /// Goes to the next block. Returns false after the last, with the origins back at the start.
  bool advance(BlockShape& block, int64_t* origins) {
    has_new_shape_ = false;
    for (int label = last_ - 1; label >= first_; --label) {
      const auto number = static_cast<size_t>(label);
      const bool goes_on = position_[number] + stride_[number] < space_.length[number];
      const int64_t moved = goes_on ? step_along(label) : -position_[number];
      position_[number] += moved;
      for (int stream = 0; moved != 0 && stream < space_.num_streams; ++stream) {
        origins[stream] += moved * space_.streams[static_cast<size_t>(stream)].step[number];
      }
      cut(block, number);
      if (goes_on) {
        return true;
      }
    }
    return false;
  }

 private:
  /// Returns the step to the next block. If blocks of the label overlap, the last one begins where
  /// it fits.
  int64_t step_along(int label) const {
    const auto number = static_cast<size_t>(label);
    const int64_t left = space_.length[number] - position_[number] - stride_[number];
    return label == overlapping_ ? std::min(stride_[number], left) : stride_[number];
  }

  /// Cuts the last block of a label, which may be shorter.
  void cut(BlockShape& block, size_t label) {
    if (dim_[label] >= 0) {
      int64_t& extent = block.extent[static_cast<size_t>(dim_[label])];
      const int64_t left = std::min(stride_[label], space_.length[label] - position_[label]);
      has_new_shape_ = has_new_shape_ || left != extent;
      extent = left;
    }
  }

  const IterationSpace& space_;
  int first_;
  int last_;
  int overlapping_;
  std::array<int64_t, kMaxLabels> stride_;
  std::array<int64_t, kMaxLabels> position_;
  std::array<int, kMaxLabels> dim_;
  bool has_new_shape_ = true;
};

}  // namespace tessera::kernels
