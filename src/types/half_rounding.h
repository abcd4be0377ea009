#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "types/dtype.h"
#include "types/half.h"

namespace tessera {

/// True if a conversion to f16 or bf16 rounds. A value of the same dtype rounds too, because a
/// computed one is held in f32.
inline bool rounds_to_half(DType from, DType to) {
  const bool is_half = to == DType::f16 || to == DType::bf16;
  const bool is_exact = from == DType::b1 || from == DType::i8 || from == DType::u8;
  return is_half && !is_exact;
}

/// Rounds to odd: returns `value` if it is an f32, else the one of the two neighbouring f32 with an
/// odd last bit. Rounding that to f16 or bf16, which have far fewer bits, gives the same as
/// rounding `value` once. Source: Boldo and Melquiond, IEEE Transactions on Computers 57(4), 2008.
inline float odd_float_from(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) {
    return nearest;
  }
  const bool is_away = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return std::bit_cast<float>((std::bit_cast<uint32_t>(nearest) - (is_away ? 1u : 0u)) | 1u);
}

/// Rounds an integer to odd, like odd_float_from an f64.
template <class Integer>
float odd_float_from_integer(Integer value) {
  constexpr int kKept = 31;  // bits, more than an f32 has
  bool is_negative = false;
  if constexpr (std::is_signed_v<Integer>) {
    is_negative = value < 0;
  }
  const auto wrapped = static_cast<uint64_t>(value);
  const uint64_t magnitude = is_negative ? 0 - wrapped : wrapped;
  const int dropped = std::max(0, static_cast<int>(std::bit_width(magnitude)) - kKept);
  const uint64_t top = magnitude >> dropped;
  const uint64_t is_inexact = top << dropped == magnitude ? 0 : 1;
  const float rounded = std::ldexp(odd_float_from(static_cast<double>(top | is_inexact)), dropped);
  return is_negative ? -rounded : rounded;
}

}  // namespace tessera
