#pragma once

#include <bit>

#include "expr/fused_multiply_add.h"
#include "kernels/isa/vectors.h"

/// The exponential of numbers that are not above zero, for sums that have a term of 1. Compiled
/// once per instruction set. It consists of sums, fused multiply-adds and shifts, so its bits are
/// the same on all of them.
namespace tessera::kernels::TESSERA_ISA {

/// The constants of the exponential. With x = n log(2) + r and |r| <= log(2) / 2, exp(x) = 2^n (1 +
/// r q(r)). The coefficients, highest first, are of the polynomial that interpolates (exp(r) - 1) /
/// r at Chebyshev's points.
template <class T>
struct ExponentialOf;

template <>
struct ExponentialOf<float> {
  using Bits = int32_t;
  static constexpr int kMantissa = 23;
  static constexpr float kLowest = -86;        // below, the exponent would run out
  static constexpr float kRounds = 0x1.8p23F;  // added, leaves the nearest integer in the last bits
  static constexpr float kLog2 = 0.6931471824645996F;
  static constexpr float kRestOfLog2 = -1.9046543e-9F;
  static constexpr float kQuotient[] = {0.0013933649752289057F,
                                        0.00836915522813797F,
                                        0.04166646674275398F,
                                        0.16666504740715027F,
                                        0.5F,
                                        1.0F};
};

template <>
struct ExponentialOf<double> {
  using Bits = int64_t;
  static constexpr int kMantissa = 52;
  static constexpr double kLowest = -707;
  static constexpr double kRounds = 0x1.8p52;
  static constexpr double kLog2 = 0.6931471805599453;
  static constexpr double kRestOfLog2 = 2.3190468138462996e-17;
  static constexpr double kQuotient[] = {2.5104859563948975e-08,
                                         2.7626367154351694e-07,
                                         2.7557256414339734e-06,
                                         2.480150432226222e-05,
                                         0.00019841269873868328,
                                         0.0013888888932508602,
                                         0.008333333333326459,
                                         0.04166666666657309,
                                         0.1666666666666667,
                                         0.5000000000000006,
                                         1.0};
};

/// Returns y * 2^n, with n in the last bits of `rounded`.
template <class T, class Vector>
Vector times_power_of_two(Vector y, Vector rounded) {
  using Of = ExponentialOf<T>;
#ifdef TESSERA_ISA_BATCHES
  using Bits = xsimd::batch<typename Of::Bits>;
  const Bits exponent = xsimd::bitwise_cast<Bits>(rounded) << Of::kMantissa;
  return xsimd::bitwise_cast<Vector>(xsimd::bitwise_cast<Bits>(y) + exponent);
#else
  using Bits = std::make_unsigned_t<typename Of::Bits>;
  const Bits exponent = std::bit_cast<Bits>(rounded) << Of::kMantissa;
  return std::bit_cast<Vector>(std::bit_cast<Bits>(y) + exponent);
#endif
}

template <class Vector>
Vector larger_or_nan(Vector limit, Vector x) {
#ifdef TESSERA_ISA_BATCHES
  return xsimd::max(limit, x);  // gives its second operand if that is NaN
#else
  return limit > x ? limit : x;
#endif
}

/// Returns exp(x) for x <= 0, 1 for 0, NaN for NaN. The error is at most 1.5 units in the last
/// place from `kLowest` on; below, it returns exp(kLowest) (4.5e-38; 1e-307 in f64).
template <class T, class Vector>
Vector exponential_of_nonpositive(Vector x) {
  using Of = ExponentialOf<T>;
  const Vector bounded = larger_or_nan(Vector(Of::kLowest), x);
  const Vector rounded =
      expr::TESSERA_ISA::fused_multiply_add(bounded, Vector(1 / Of::kLog2), Vector(Of::kRounds));
  const Vector n = rounded - Vector(Of::kRounds);
  Vector r = expr::TESSERA_ISA::fused_multiply_add(n, Vector(-Of::kLog2), bounded);
  r = expr::TESSERA_ISA::fused_multiply_add(n, Vector(-Of::kRestOfLog2), r);
  Vector quotient(Of::kQuotient[0]);
  for (size_t power = 1; power < std::size(Of::kQuotient); ++power) {
    quotient = expr::TESSERA_ISA::fused_multiply_add(quotient, r, Vector(Of::kQuotient[power]));
  }
  return times_power_of_two<T>(expr::TESSERA_ISA::fused_multiply_add(quotient, r, Vector(T(1))),
                               rounded);
}

template <class Vector>
Vector one_where_equal(Vector a, Vector b, Vector other) {
#ifdef TESSERA_ISA_BATCHES
  return xsimd::select(a == b, Vector(1), other);
#else
  return a == b ? Vector(1) : other;
#endif
}

/// The share exp(x - largest); 1 if the two are equal, even if both are the same infinity.
template <class T>
struct Share {
  template <class Vector>
  static Vector of(Vector x, Vector largest) {
    return one_where_equal(x, largest, exponential_of_nonpositive<T>(x - largest));
  }
};

}  // namespace tessera::kernels::TESSERA_ISA
