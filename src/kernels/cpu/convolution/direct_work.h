#pragma once

#include "kernels/cpu/convolution/direct_operand.h"

namespace tessera::kernels {

/// The most taps that are merged before a tile is written. They and their elements of one row of
/// weights stay in the first cache; results are read again once per this many.
constexpr int64_t kMostTaps = 512;

/// One call of a direct convolution, its operands in place.
struct DirectRun {
  const DirectConvolution& convolution;
  std::span<const LabelRange> ranges;
  DirectPlace x;
  DirectPlace y;
  std::byte* out = nullptr;
  std::span<const int64_t> out_strides;  // by label of the result
  DirectTap* taps = nullptr;             // room for kMostTaps
  std::byte* scratch = nullptr;          // room for a tile
};

/// Merges all taps into every result; into what is there where `accumulate` is set.
void convolve_in_tiles(DirectRun& run, bool accumulate) noexcept;

}  // namespace tessera::kernels
