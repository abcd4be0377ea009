#pragma once

#include "expr/function_random.h"

namespace tessera::expr::TESSERA_ISA {

/// Counts the stream's numbers that can be multiplied until they are below exp(-mean).
inline double small_poisson(RandomStream& stream, double mean) {
  const double least = std::exp(-mean);
  double count = 0;
  for (double product = stream.unit(); product > least; product *= stream.unit()) {
    ++count;
  }
  return count;
}

/// Source: Hörmann, "The transformed rejection method for generating Poisson random variables",
/// Insurance: Mathematics and Economics 12, 1993 (PTRS). REQUIRES mean >= 10.
inline double large_poisson(RandomStream& stream, double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double accepted = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.unit() - 0.5;
    const double v = stream.unit();
    const double distance = 0.5 - std::fabs(u);
    const double count = std::floor((2 * a / distance + b) * u + mean + 0.43);
    if (distance >= 0.07 && v <= accepted) {
      return count;
    }
    if (count < 0 || (distance < 0.013 && v > distance)) {
      continue;
    }
    if (std::log(v * inverse_alpha / (a / (distance * distance) + b)) <= log_poisson(count, mean)) {
      return count;
    }
  }
}

struct RandomPoisson {
  static constexpr const char* kName = "random_poisson";
  static constexpr const char* kSummary = "a draw of the Poisson distribution of that mean";
  static constexpr FunctionGroup kGroup = FunctionGroup::draws;
  static constexpr const char* kNumpy = "random.Generator.poisson";
  static constexpr const char* kArguments = "bits, mean";
  static constexpr const char* kExample = "Y[i] = random_poisson(philox(7, index(i)), X[i])";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_draw;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Draw<Floats>;

  template <class T>
  static T apply(int64_t bits, T mean) {
    if (!(mean >= 0) || std::isinf(mean)) {
      return nan<T>();
    }
    RandomStream stream(bits);
    const auto rate = static_cast<double>(mean);
    return static_cast<T>(rate < 10 ? small_poisson(stream, rate) : large_poisson(stream, rate));
  }

  static constexpr Fault kFault = Fault::no_distribution;
  template <std::floating_point T>
  static bool faults(int64_t, T mean) {
    return !(mean >= 0) || std::isinf(mean);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
