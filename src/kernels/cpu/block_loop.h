#pragma once

#include <array>

#include "kernels/cpu/block_shape.h"

namespace tessera::kernels {

/// Walks the blocks of a space along labels [first, last), every stream's origin kept up to date.
class BlockLoop {
 public:
  /// `block` is as large as blocks become; those at the end of a label may be shorter.
  BlockLoop(const IterationSpace& space, const BlockShape& block, int first, int last);

  /// Goes to the first block. REQUIRES no label of length 0.
  void start(BlockShape& block);

  /// Goes to the next block; false after the last, with the origins where they were at the start.
  bool advance(BlockShape& block, int64_t* origins);

 private:
  void cut(BlockShape& block, size_t label);

  const IterationSpace& space_;
  int first_;
  int last_;
  std::array<int64_t, kMaxLabels> stride_;
  std::array<int64_t, kMaxLabels> position_;
  std::array<int, kMaxLabels> dim_;
};

}  // namespace tessera::kernels
