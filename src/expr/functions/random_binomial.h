#pragma once

#include "expr/function_random.h"

namespace tessera::expr::TESSERA_ISA {

/// Sums probabilities until they pass a random number. REQUIRES p <= 0.5, and count * p below about
/// 10.
inline double small_binomial(RandomStream& stream, double count, double p) {
  const double odds = p / (1 - p);
  const double none = std::exp(count * std::log1p(-p));
  for (;;) {
    double rest = stream.unit();
    double probability = none;
    double successes = 0;
    while (probability > 0 && rest >= probability) {
      rest -= probability;
      probability *= odds * (count - successes) / (successes + 1);
      ++successes;
    }
    if (probability > 0) {  // else what was rounded away is left: draw again
      return successes;
    }
  }
}

/// Source: Hörmann, "The generation of binomial random variates", Journal of Statistical
/// Computation and Simulation 46, 1993 (BTRS). REQUIRES p <= 0.5 and count * p >= 10.
inline double large_binomial(RandomStream& stream, double count, double p) {
  const double deviation = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double accepted = 0.92 - 4.2 / b;
  const auto log_likelihood = [&](double successes) {
    return log_poisson(successes, count * p) + log_poisson(count - successes, count * (1 - p));
  };
  const double at_mode = log_likelihood(std::floor((count + 1) * p));
  for (;;) {
    const double u = stream.unit() - 0.5;
    const double v = stream.unit();
    const double distance = 0.5 - std::fabs(u);
    const double successes = std::floor((2 * a / distance + b) * u + count * p + 0.5);
    if (distance >= 0.07 && v <= accepted) {
      return successes;
    }
    if (successes < 0 || successes > count) {
      continue;
    }
    if (std::log(v * alpha / (a / (distance * distance) + b)) <=
        log_likelihood(successes) - at_mode) {
      return successes;
    }
  }
}

/// Draws the successes among `count` trials. REQUIRES 0 <= p <= 1 and count >= 0.
inline double binomial_draw(RandomStream& stream, double count, double p) {
  if (p > 0.5) {
    return count - binomial_draw(stream, count, 1 - p);
  }
  if (p == 0) {
    return 0;
  }
  return count * p < 10 ? small_binomial(stream, count, p) : large_binomial(stream, count, p);
}

struct RandomBinomial {
  static constexpr const char* kName = "random_binomial";
  static constexpr const char* kSummary = "successes among n trials, each of probability p";
  static constexpr FunctionGroup kGroup = FunctionGroup::draws;
  static constexpr const char* kNumpy = "random.Generator.binomial";
  static constexpr const char* kArguments = "bits, n, p";
  static constexpr const char* kExample = "Y[i] = random_binomial(philox(7, index(i)), 10, X[i])";
  static constexpr int kArity = 3;
  static constexpr TypeRule kRule = &bind_draw;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Draw<Floats>;

  template <class T>
  static T apply(int64_t bits, T count, T p) {
    if (faults(bits, count, p)) {
      return nan<T>();
    }
    RandomStream stream(bits);
    return static_cast<T>(
        binomial_draw(stream, static_cast<double>(count), static_cast<double>(p)));
  }

  static constexpr Fault kFault = Fault::no_distribution;
  template <std::floating_point T>
  static bool faults(int64_t, T count, T p) {
    return !(p >= 0 && p <= 1) || !(count >= 0) || std::isinf(count) || count != std::floor(count);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
