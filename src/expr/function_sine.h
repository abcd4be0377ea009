#pragma once

#include "expr/fused_multiply_add.h"

namespace tessera::expr::TESSERA_ISA {

/// The constants of the sine of a float type. The parts of pi / 2 are rounded down, so that a zero
/// keeps its sign. The polynomials interpolate (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4,
/// in powers of r^2, at Chebyshev's points of |r| <= pi / 4.
template <class T>
struct SineOf;

template <>
struct SineOf<float> {
  static constexpr double kLargest = 0x1p16;
  static constexpr double kRounding = 0x1.8p23;
  static constexpr double kHalfPi[] = {0x1.921fb4p+0, 0x1.4442d0p-24, 0x1.846988p-48};
  static constexpr double kSine[] = {-0x1.555552a43b210p-3, 0x1.110c282749f3ap-7,
                                     -0x1.9ac96b052ede0p-13};
  static constexpr double kCosine[] = {0x1.555554414e3a6p-5, -0x1.6c12d2887c343p-10,
                                       0x1.9bd86445fb99bp-16};
};

template <>
struct SineOf<double> {
  static constexpr double kLargest = 0x1p30;
  static constexpr double kRounding = 0x1.8p52;
  static constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c06p-54,
                                       0x1.c1cd129024e08p-107};
  static constexpr double kSine[] = {-0x1.5555555555555p-3,  0x1.1111111110bb1p-7,
                                     -0x1.a01a019e8357dp-13, 0x1.71de37961e4c6p-19,
                                     -0x1.ae600a926c89ap-26, 0x1.5e0af186af739p-33};
  static constexpr double kCosine[] = {0x1.5555555555555p-5,  -0x1.6c16c16c16966p-10,
                                       0x1.a01a019f4e867p-16, -0x1.27e4fa17a41b4p-22,
                                       0x1.1eeb68b109173p-29, -0x1.907d7aebd5e3dp-37};
};

/// The sine and the cosine of a batch of floats of at most `kLargest`: within 1.5 units in the last
/// place, their quotient within 3.1, near multiples of pi / 2 too. The result of an element does
/// not depend on those beside it.
///
/// With n = round(x / (pi / 2)) and r = x - n pi / 2, the sine is sin(r), cos(r), -sin(r) or
/// -cos(r), by n mod 4. For the first part p of pi / 2, x - n p is exact: it is less than 1 and a
/// multiple of the last place of p.
template <Batch T>
class Sine {
  using Element = typename T::value_type;
  using Of = SineOf<Element>;

 public:
  explicit Sine(T x) {
    const T rounded =
        fused_multiply_add(x, number<T>(0.6366197723675814), number<T>(Of::kRounding));  // 2 / pi
    const T n = rounded - number<T>(Of::kRounding);
    T r = x;
    for (const double part : Of::kHalfPi) {
      r = fused_multiply_add(n, number<T>(-part), r);
    }
    const T square = r * r;
    sine_ = copysign(fused_multiply_add(r * square, polynomial(square, Of::kSine), r), r);
    const T half = number<T>(0.5) * square;
    const T rest = number<T>(1) - half;
    cosine_ = rest + fused_multiply_add(square * square, polynomial(square, Of::kCosine),
                                        (number<T>(1) - rest) - half);
    quarters_ = bitwise_cast<Bits>(rounded);
  }

  static auto takes(T x) { return abs(x) <= number<T>(Of::kLargest); }

  T sine() const { return turned(quarters_); }
  T cosine() const { return turned(quarters_ + Bits(1)); }

 private:
  using Bits = decltype(to_int(T()));

  /// Returns the sine of r plus `quarters` quarters of a turn.
  T turned(Bits quarters) const {
    constexpr int kBits = 8 * static_cast<int>(sizeof(Element));
    const Bits chosen = select((quarters & Bits(1)) == Bits(0), bitwise_cast<Bits>(sine_),
                               bitwise_cast<Bits>(cosine_));
    return bitwise_cast<T>(chosen ^ ((quarters & Bits(2)) << (kBits - 2)));
  }

  T sine_;
  T cosine_;
  Bits quarters_;
};

/// Applies `by_parts` to arguments in Sine's range, and `by_library` to the rest.
template <Batch T, class ByParts, class ByLibrary>
T by_sine(T x, ByParts by_parts, ByLibrary by_library) {
  const auto takes = Sine<T>::takes(x);
  const T result = by_parts(Sine<T>(x));
  return all(takes) ? result : select(takes, result, by_library(x));
}

}  // namespace tessera::expr::TESSERA_ISA
