#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// The power x to the y in f32, by 2^(y log2 |x|) in f64: within 0.51 units in the last place
/// (measured against long double). Without branches, so that the compiler vectorises it, and with
/// the same bits wherever a multiply-add is fused.
struct PowerOfFloats {
  /// True if power() does not apply: NaN, a root of a negative number, an exponent that is
  /// infinite, or so small that it makes a 1 of all but 0 and infinity.
  static bool is_rare(float x, float y) {
    const float size = std::fabs(y);
    const bool is_usual =
        ((size >= 0x1p-60F) | (y == 0)) & (size <= std::numeric_limits<float>::max());
    return !(x == x) | !is_usual | ((x < 0) & (y != __builtin_rintf(y)));
  }

  static float power(float x, float y) {
    const double exponent = static_cast<double>(y) * log2_of(std::fabs(x));
    const auto size = static_cast<float>(exp2_of(exponent));
    const float half = 0.5F * y;
    const bool is_odd = (y == __builtin_rintf(y)) & (half != __builtin_rintf(half));
    const uint32_t sign = bits_of(x) & kSign;
    return float_of_bits(bits_of(size) | (is_odd ? sign : 0U));
  }

 private:
  static constexpr uint32_t kSign = 0x80000000U;
  static constexpr uint32_t kSquareRootOfHalf = 0x3f3504f3U;

  /// Returns the logarithm of x >= 0, within 2^-37. With x = m 2^e, m within sqrt(2) of 1 either
  /// way, and s = (m - 1) / (m + 1), log2 m is s times a polynomial in s^2. The quotient in f32
  /// starts the one in f64. For 0 and infinity it is so large that usual powers of them are 0, 1 or
  /// infinite.
  static double log2_of(float x) {
    const bool is_tiny = x < std::numeric_limits<float>::min();
    const float normal = is_tiny ? x * 0x1p24F : x;
    const uint32_t above = bits_of(normal) - kSquareRootOfHalf;
    const float m = float_of_bits(bits_of(normal) - (above & 0xff800000U));
    const auto exponent =
        static_cast<float>((static_cast<int32_t>(above) >> 23) - (is_tiny ? 24 : 0));
    const float finite = x > std::numeric_limits<float>::max() ? 0x1p80F : exponent;
    const float e = x == 0 ? -0x1p80F : finite;
    const double sum = static_cast<double>(m) + 1;
    const double start = static_cast<double>(1.0F / (m + 1.0F));
    const double inverse = __builtin_fma(start, __builtin_fma(-sum, start, 1.0), start);
    const double s = (static_cast<double>(m) - 1) * inverse;
    const double square = s * s;
    double q = 0x1.5ce85c0af6ca9p-2;
    q = __builtin_fma(q, square, 0x1.a58d886a77ad0p-2);
    q = __builtin_fma(q, square, 0x1.27777fe92ce0ep-1);
    q = __builtin_fma(q, square, 0x1.ec709d12cef67p-1);
    q = __builtin_fma(q, square, 0x1.71547652bedeep+1);
    return __builtin_fma(q, s, static_cast<double>(e));
  }

  /// Returns 2^x, within 2^-34. Beyond the clamped ends f32 has 0 or infinity.
  static double exp2_of(double x) {
    constexpr double kRounding = 0x1.8p52;
    constexpr double kEnd = 200;
    const double above = x > -kEnd ? x : -kEnd;
    const double within = above < kEnd ? above : kEnd;
    const double rounded = within + kRounding;
    const double r = within - (rounded - kRounding);
    double p = 0x1.fde5cd303418fp-17;
    p = __builtin_fma(p, r, 0x1.445ca6d415776p-13);
    p = __builtin_fma(p, r, 0x1.5d8a86830c193p-10);
    p = __builtin_fma(p, r, 0x1.3b29f3754985dp-7);
    p = __builtin_fma(p, r, 0x1.c6b08abf9844fp-5);
    p = __builtin_fma(p, r, 0x1.ebfbe077ae33dp-3);
    p = __builtin_fma(p, r, 0x1.62e42ff0e2147p-1);
    p = __builtin_fma(p, r, 1.0);
    return float_of_bits(bits_of(p) + (bits_of(rounded) << 52));
  }
};

}  // namespace tessera::expr::TESSERA_ISA
