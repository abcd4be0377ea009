#include "kernels/cpu/gemm/bf16_parts.h"

#include <algorithm>
#include <bit>

namespace tessera::kernels {

namespace {

/// Splits a row, and adds its numbers to the magnitudes, the smallest less one, so that 0 is the
/// largest. Compiled for AVX-512 alone, for whose vectors the loop is written.
template <int64_t kParts>
__attribute__((target("avx512f,avx512bw,avx512vl"))) void split_row(const float* from,
                                                                    int64_t columns,
                                                                    int64_t part_step, uint16_t* to,
                                                                    Magnitudes& less_one) {
  uint32_t largest = less_one.largest;
  uint32_t smallest = less_one.smallest;
#pragma GCC ivdep
  for (int64_t column = 0; column < columns; ++column) {
    float rest = from[column];
    const uint32_t magnitude = std::bit_cast<uint32_t>(rest) & 0x7FFFFFFFU;
    largest = std::max(largest, magnitude);
    smallest = std::min(smallest, magnitude - 1);
    for (int64_t part = 0; part < kParts; ++part) {
      const uint32_t bits = std::bit_cast<uint32_t>(rest);
      const uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U;
      to[column + part * part_step] = static_cast<uint16_t>(rounded >> 16);
      rest -= std::bit_cast<float>(rounded);
    }
  }
  less_one = {largest, smallest};
}

template <int64_t kParts>
Magnitudes split_rows(const float* from, int64_t rows, int64_t columns, int64_t step,
                      const PartsLayout& layout, uint16_t* to) {
  Magnitudes less_one;
  for (int64_t row = 0; row < rows; ++row) {
    split_row<kParts>(from + row * step, columns, layout.part_step,
                      to + layout.first + row * layout.row_step, less_one);
  }
  return {less_one.largest, std::max(less_one.smallest, less_one.smallest + 1)};
}

/// Returns the exponent e of 2^e <= |x| < 2^(e+1), by the bits of |x|; for a denormal at most -127.
int exponent_of(uint32_t bits) {
  return static_cast<int>(bits >> 23) - 127;
}

}  // namespace

Magnitudes split_in_parts(const float* from, int64_t rows, int64_t columns, int64_t step,
                          const PartsLayout& layout, uint16_t* to) noexcept {
  switch (layout.num_parts) {
    case 1:
      return split_rows<1>(from, rows, columns, step, layout, to);
    case 2:
      return split_rows<2>(from, rows, columns, step, layout, to);
    default:
      return split_rows<kMostParts>(from, rows, columns, step, layout, to);
  }
}

bool are_safe(const Magnitudes& a, const Magnitudes& b, int64_t count) {
  // A leading part may round up to the next power of two, and a sum has all products.
  const int largest = exponent_of(a.largest) + exponent_of(b.largest) + 4 +
                      static_cast<int>(std::bit_width(static_cast<uint64_t>(count)));
  const bool is_finite = std::max(a.largest, b.largest) < 0x7F000000U && largest < 127;
  // The last bit of a number may be all of its third part, which must not be a denormal. Of the six
  // products of parts of two numbers each loses up to 2^-126.
  constexpr int kLeastNumber = -102;
  constexpr int kLeastProduct = -98;
  const int smallest_a = exponent_of(a.smallest);
  const int smallest_b = exponent_of(b.smallest);
  return is_finite && std::min(smallest_a, smallest_b) >= kLeastNumber &&
         smallest_a + smallest_b >= kLeastProduct;
}

}  // namespace tessera::kernels
