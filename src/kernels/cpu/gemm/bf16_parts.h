#pragma once

#include <cstdint>

namespace tessera::kernels {

/// The most parts of bf16 of a number: three have all bits of an f32.
constexpr int64_t kMostParts = 3;

/// The layout of the parts of rows of numbers, in elements from the first: part 0 of a number has
/// its leading bits.
struct PartsLayout {
  int64_t num_parts = 1;
  int64_t row_step = 0;
  int64_t first = 0;      // beginning of part 0 of the first row
  int64_t part_step = 0;  // from a part to the next, less leading one; of any sign
};

/// The magnitudes of some numbers, possibly none: the bits of the largest |x|, and of the smallest
/// |x| that is not 0. Bits of f32 without sign have the order of the numbers, and NaN is the
/// largest.
struct Magnitudes {
  uint32_t largest = 0;
  uint32_t smallest = ~uint32_t{0};
};

/// Splits rows of f32, `step` elements apart, into parts:
///   r = x; for p in 0..num_parts-1: part[p] = bf16(r), to nearest even; r = r - part[p]
/// so that x is the sum of its parts to 8 (p + 1) bits, without rounding for three of them if |x|
/// is at least 2^-102. Returns the magnitudes of the numbers; the parts of NaN, of infinities and
/// of numbers that round to these are unspecified.
/// and of what rounds to these are does not matter.
/// from: [rows, columns]; to: by the layout. Threads: any number on distinct targets. REQUIRES
/// AVX-512.
/// Source: Henry, Tang and Heinecke, ARITH 2019 (sums of bf16).
Magnitudes split_in_parts(const float* from, int64_t rows, int64_t columns, int64_t step,
                          const PartsLayout& layout, uint16_t* to) noexcept;

/// True if the sums of `count` products of parts are as exact as if no number were too large or too
/// small: nothing overflows, and no part or product is so small that a unit that takes denormals
/// for zero (all do, by their definition) loses more of a sum than f32 rounds off.
bool are_safe(const Magnitudes& a, const Magnitudes& b, int64_t count);

}  // namespace tessera::kernels
