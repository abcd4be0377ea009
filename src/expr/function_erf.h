#pragma once

#include "expr/function_code.h"
#include "expr/functions/exp.h"

namespace tessera::expr::TESSERA_ISA {

/// erf and erfc of a batch, within 4 units in the last place.
///
/// Rational approximations on |x| below 0.84375, below 1.25, below 1/0.35 and above, all evaluated
/// and one selected. Source: fdlibm s_erf.c, Sun Microsystems, 1993, with its coefficients.
template <Batch T>
struct ErrorFunction {
  static T erf(T x) {
    const T size = abs(x);
    const T middle = number<T>(kAtOne) + around_one(size);
    const T beyond = T(1) - tail(size);
    const T large = copysign(select(size < number<T>(1.25), middle, beyond), x);
    return keep_nan(x, select(size < number<T>(0.84375), x + x * around_zero(x), large));
  }

  static T erfc(T x) {
    const T size = abs(x);
    const T small_erf = x + x * around_zero(x);
    const T upper_half = number<T>(0.5) - ((x - number<T>(0.5)) + x * around_zero(x));
    const T small = select(x < number<T>(0.25), T(1) - small_erf, upper_half);
    const T middle_positive = number<T>(1 - kAtOne) - around_one(size);
    const T middle = select(x > T(0), middle_positive, number<T>(1 + kAtOne) + around_one(size));
    const T rest = tail(size);
    const T beyond = select(x > T(0), rest, T(2) - rest);
    const T large = select(size < number<T>(1.25), middle, beyond);
    return keep_nan(x, select(size < number<T>(0.84375), small, large));
  }

 private:
  static constexpr double kAtOne = 8.45062911510467529297e-01;  // erf(1) rounded to f32

  static T keep_nan(T x, T result) { return select(x == x, result, x); }

  /// Returns erf(x) / x - 1.
  static T around_zero(T x) {
    constexpr double kAbove[] = {1.28379167095512558561e-01, -3.25042107247001499370e-01,
                                 -2.84817495755985104766e-02, -5.77027029648944159157e-03,
                                 -2.37630166566501626084e-05};
    constexpr double kBelow[] = {1.0,
                                 3.97917223959155352819e-01,
                                 6.50222499887672944485e-02,
                                 5.08130628187576562776e-03,
                                 1.32494738004321644526e-04,
                                 -3.96022827877536812320e-06};
    const T square = x * x;
    return polynomial(square, kAbove) / polynomial(square, kBelow);
  }

  /// Returns erf(size) - kAtOne.
  static T around_one(T size) {
    constexpr double kAbove[] = {-2.36211856075265944077e-03, 4.14856118683748331666e-01,
                                 -3.72207876035701323847e-01, 3.18346619901161753674e-01,
                                 -1.10894694282396677476e-01, 3.54783043256182359371e-02,
                                 -2.16637559486879084300e-03};
    constexpr double kBelow[] = {1.0,
                                 1.06420880400844228286e-01,
                                 5.40397917702171048937e-01,
                                 7.18286544141962662868e-02,
                                 1.26171219808761642112e-01,
                                 1.36370839120290507362e-02,
                                 1.19844998467991074170e-02};
    const T distance = size - T(1);
    return polynomial(distance, kAbove) / polynomial(distance, kBelow);
  }

  /// Returns erfc(size) for size >= 1.25. Beyond 30 it is 0 in any case.
  static T tail(T size) {
    const T z = select(size < T(30), size, T(30));
    const T inverse_square = T(1) / (z * z);
    const T ratio = select(z < number<T>(1 / 0.35), nearer_ratio(inverse_square),
                           farther_ratio(inverse_square));
    // exp(-z*z) from the upper digits of z, few enough that the first exponent is exact, and from
    // the rest.
    const T shifted = z * number<T>(sizeof(typename T::value_type) == 4 ? 0x1p13 + 1 : 0x1p28 + 1);
    const T upper = shifted - (shifted - z);
    const T exponential = Exp::apply(-upper * upper - number<T>(0.5625));
    return exponential * Exp::apply((upper - z) * (upper + z) + ratio) / z;
  }

  static T nearer_ratio(T inverse_square) {
    constexpr double kAbove[] = {-9.86494403484714822705e-03, -6.93858572707181764372e-01,
                                 -1.05586262253232909814e+01, -6.23753324503260060396e+01,
                                 -1.62396669462573470355e+02, -1.84605092906711035994e+02,
                                 -8.12874355063065934246e+01, -9.81432934416914548592e+00};
    constexpr double kBelow[] = {1.0,
                                 1.96512716674392571292e+01,
                                 1.37657754143519042600e+02,
                                 4.34565877475229228821e+02,
                                 6.45387271733267880336e+02,
                                 4.29008140027567833386e+02,
                                 1.08635005541779435134e+02,
                                 6.57024977031928170135e+00,
                                 -6.04244152148580987438e-02};
    return polynomial(inverse_square, kAbove) / polynomial(inverse_square, kBelow);
  }

  static T farther_ratio(T inverse_square) {
    constexpr double kAbove[] = {-9.86494292470009928597e-03, -7.99283237680523006574e-01,
                                 -1.77579549177547519889e+01, -1.60636384855821916062e+02,
                                 -6.37566443368389627722e+02, -1.02509513161107724954e+03,
                                 -4.83519191608651397019e+02};
    constexpr double kBelow[] = {1.0,
                                 3.03380607434824582924e+01,
                                 3.25792512996573918826e+02,
                                 1.53672958608443695994e+03,
                                 3.19985821950859553908e+03,
                                 2.55305040643316442583e+03,
                                 4.74528541206955367215e+02,
                                 -2.24409524465858183362e+01};
    return polynomial(inverse_square, kAbove) / polynomial(inverse_square, kBelow);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
