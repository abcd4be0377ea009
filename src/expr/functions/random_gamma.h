#pragma once

#include "expr/function_random.h"

namespace tessera::expr::TESSERA_ISA {

/// Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3),
/// 2000. REQUIRES shape >= 1.
inline double large_gamma(RandomStream& stream, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal();
    const double root = 1 + c * x;
    if (root <= 0) {
      continue;
    }
    const double cube = root * root * root;
    const double u = stream.unit();
    if (u < 1 - 0.0331 * (x * x) * (x * x) ||
        std::log(u) < 0.5 * x * x + d * (1 - cube + std::log(cube))) {
      return d * cube;
    }
  }
}

/// Returns the logarithm of the factor that turns a draw of shape + 1 into one of a shape below 1;
/// section 6 there.
inline double log_boost(RandomStream& stream, double shape) {
  return std::log(stream.unit()) / shape;
}

/// Returns the logarithm of a draw, so that draws of small shapes, most of which underflow, can
/// still be compared. REQUIRES shape > 0.
inline double log_gamma_draw(RandomStream& stream, double shape) {
  if (shape >= 1) {
    return std::log(large_gamma(stream, shape));
  }
  const double above = std::log(large_gamma(stream, shape + 1));
  return above + log_boost(stream, shape);
}

/// REQUIRES shape > 0.
inline double gamma_draw(RandomStream& stream, double shape) {
  if (shape >= 1) {
    return large_gamma(stream, shape);
  }
  const double above = large_gamma(stream, shape + 1);
  return above * std::exp(log_boost(stream, shape));
}

struct RandomGamma {
  static constexpr const char* kName = "random_gamma";
  static constexpr const char* kSummary = "a draw of the gamma distribution of that shape, scale 1";
  static constexpr FunctionGroup kGroup = FunctionGroup::draws;
  static constexpr const char* kNumpy = "random.Generator.standard_gamma";
  static constexpr const char* kArguments = "bits, shape";
  static constexpr const char* kExample = "Y[i] = random_gamma(philox(7, index(i)), X[i])";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_draw;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Draw<Floats>;

  template <class T>
  static T apply(int64_t bits, T shape) {
    if (!(shape > 0)) {
      return shape == 0 ? T(0) : nan<T>();
    }
    RandomStream stream(bits);
    return std::isinf(shape) ? shape
                             : static_cast<T>(gamma_draw(stream, static_cast<double>(shape)));
  }

  static constexpr Fault kFault = Fault::no_distribution;
  template <std::floating_point T>
  static bool faults(int64_t, T shape) {
    return !(shape >= 0);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
