#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// xsimd's exp2 overflows and underflows too early; near the ends the square of exp2(x / 2) does
/// not.
struct Exp2 {
  static constexpr const char* kName = "exp2";
  static constexpr const char* kSummary = "2 to the power x";
  static constexpr FunctionGroup kGroup = FunctionGroup::exponentials;
  static constexpr const char* kNumpy = "exp2";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (kIsComplex<T>) {
      return std::exp(x * number<T>(0.6931471805599453));  // ln 2
    } else {
      using std::exp2;
      if constexpr (Batch<T>) {
        const auto is_near_end =
            abs(x) > number<T>(std::is_same_v<typename T::value_type, float> ? 125.0 : 1021.0);
        if (any(is_near_end)) {
          const T half = exp2(number<T>(0.5) * x);
          return select(is_near_end, half * half, exp2(x));
        }
      }
      return exp2(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
