#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/isa/semiring_table.h"

/// The special values among floats of a semiring product. Compiled once per instruction set, like
/// the tiles: by two numbers at a time, the search took a quarter of a product of f64.
namespace tessera::kernels::TESSERA_ISA {

/// Returns which of the values of special_values() may be there, in three comparisons a number.
template <class T>
SpecialValues seen_among(const T* numbers, int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint64_t>;
  constexpr T kHuge = std::numeric_limits<T>::max() / 2;
  Bits huge = 0;  // or NaN
  Bits zeros = 0;
  Bits negative = 0;
  for (int64_t e = 0; e < count; ++e) {
    const T x = numbers[e];
    huge |= std::fabs(x) <= kHuge ? Bits{0} : Bits{1};
    zeros |= x == T(0) ? std::bit_cast<Bits>(x) : Bits{0};
    negative |= x < T(0) ? Bits{1} : Bits{0};
  }
  SpecialValues seen;
  seen.has_negative_zero = zeros != 0;
  seen.has_negative = negative != 0;
  seen.has_huge = huge != 0;
  return seen;
}

/// Returns the special values among `count` numbers.
template <class T>
SpecialValues special_values(const void* from, int64_t count) noexcept {
  const T* const numbers = static_cast<const T*>(from);
  constexpr T kLargest = std::numeric_limits<T>::max();
  SpecialValues seen = seen_among(numbers, count);
  for (int64_t e = 0; e < count && seen.has_huge; ++e) {
    seen.has_nan = seen.has_nan || numbers[e] != numbers[e];
    seen.has_positive_infinity = seen.has_positive_infinity || numbers[e] > kLargest;
    seen.has_negative_infinity = seen.has_negative_infinity || numbers[e] < -kLargest;
  }
  return seen;
}

/// Returns null for types that have none.
template <class T>
constexpr LookForSpecial look_for_special() {
  if constexpr (std::is_floating_point_v<T>) {
    return &special_values<T>;
  } else {
    return nullptr;
  }
}

}  // namespace tessera::kernels::TESSERA_ISA
