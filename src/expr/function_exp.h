#pragma once

#include "expr/fused_multiply_add.h"

namespace tessera::expr::TESSERA_ISA {

/// The exponential of a batch of f32, within 1.02 units in the last place (measured on every float
/// against f64), subnormal results too. The bits are the same on every instruction set that has
/// batches.
///
/// With n = round(x / ln 2) and r = x - n ln 2, where |r| <= 0.35, it is 2^n (1 + r + r^2 q(r)).
/// Adding 1.5 * 2^23 rounds x / ln 2, whose integer is then in the low bits of the sum.
template <Batch T>
struct Exponential {
  static T of(T x) {
    if (any(!(abs(x) <= number<T>(kLargest)))) {
      return of_any(x);
    }
    const T rounded = round_quotient(x);
    return add_exponent(mantissa(x, rounded - number<T>(kRounding)), rounded);
  }

 private:
  static constexpr double kRounding = 0x1.8p23;
  static constexpr double kLargest = 87;           // up to here nothing overflows or is subnormal
  static constexpr double kSmallestFinite = -104;  // below here the result is 0
  static constexpr double kLargestFinite = 89;     // above here it is infinite

  static T round_quotient(T x) {
    return fused_multiply_add(x, number<T>(1.4426950408889634), number<T>(kRounding));  // 1 / ln 2
  }

  /// Returns 2^-n e^x. The first part of ln 2 has 13 bits less than a float, so that n times it is
  /// exact.
  static T mantissa(T x, T n) {
    const T r = fused_multiply_add(n, number<T>(2.12194440e-4),
                                   fused_multiply_add(n, number<T>(-0.693359375), x));
    T q = number<T>(0x1.6a523p-10);
    q = fused_multiply_add(q, r, number<T>(0x1.12396cp-7));
    q = fused_multiply_add(q, r, number<T>(0x1.5558aap-5));
    q = fused_multiply_add(q, r, number<T>(0x1.555492p-3));
    q = fused_multiply_add(q, r, number<T>(0x1.fffffcp-2));
    return fused_multiply_add(q, r * r, r) + number<T>(1);
  }

  /// Returns value * 2^n, where `rounded` is n + kRounding and the result is normal.
  static T add_exponent(T value, T rounded) {
    using Bits = decltype(to_int(value));
    return bitwise_cast<T>(bitwise_cast<Bits>(value) + (bitwise_cast<Bits>(rounded) << 23));
  }

  /// Returns the exponential near the ends too, where 2^n is no float: in two steps, of which only
  /// the last rounds.
  static T of_any(T x) {
    T within = select(x > number<T>(kSmallestFinite), x, number<T>(kSmallestFinite));
    within = select(within < number<T>(kLargestFinite), within, number<T>(kLargestFinite));
    const T n = round_quotient(within) - number<T>(kRounding);
    const T half = fused_multiply_add(n, number<T>(0.5), number<T>(kRounding));
    const T rest = n - (half - number<T>(kRounding));
    const T power = add_exponent(number<T>(1), rest + number<T>(kRounding));
    return select(x == x, add_exponent(mantissa(within, n), half) * power, x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
