#pragma once

#include "expr/function_code.h"
#include "expr/functions/exp.h"

namespace tessera::expr::TESSERA_ISA {

struct Expm1 {
  static constexpr const char* kName = "expm1";
  static constexpr const char* kSummary = "exp(x) - 1, accurate near 0";
  static constexpr FunctionGroup kGroup = FunctionGroup::exponentials;
  static constexpr const char* kNumpy = "expm1";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (kIsComplex<T>) {
      const auto half_sine = std::sin(x.imag() / 2);
      return T(std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sine * half_sine,
               std::exp(x.real()) * std::sin(x.imag()));
    } else if constexpr (Batch<T>) {
      const T near_zero = select(x == T(0), x, expm1(x));  // keeps the sign of zero
      return select(x > T(50), Exp::apply(x), near_zero);  // beyond 50 the 1 is rounded away
    } else {
      return std::expm1(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
