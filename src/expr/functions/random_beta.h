#pragma once

#include "expr/functions/random_gamma.h"

namespace tessera::expr::TESSERA_ISA {

/// The share of one gamma draw in two, by their logarithms: for small shapes both may underflow.
struct RandomBeta {
  static constexpr const char* kName = "random_beta";
  static constexpr const char* kSummary = "a draw of the beta distribution of these two shapes";
  static constexpr FunctionGroup kGroup = FunctionGroup::draws;
  static constexpr const char* kNumpy = "random.Generator.beta";
  static constexpr const char* kArguments = "bits, a, b";
  static constexpr const char* kExample = "Y[i] = random_beta(philox(7, index(i)), X[i], 2)";
  static constexpr int kArity = 3;
  static constexpr TypeRule kRule = &bind_draw;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Draw<Floats>;

  template <class T>
  static T apply(int64_t bits, T a, T b) {
    if (faults(bits, a, b)) {
      return nan<T>();
    }
    RandomStream stream(bits);
    const double one = log_gamma_draw(stream, static_cast<double>(a));
    const double other = log_gamma_draw(stream, static_cast<double>(b));
    return static_cast<T>(1 / (1 + std::exp(other - one)));
  }

  static constexpr Fault kFault = Fault::no_distribution;
  template <std::floating_point T>
  static bool faults(int64_t, T a, T b) {
    return !(a > 0) || !(b > 0) || std::isinf(a) || std::isinf(b);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
