#pragma once

#include "expr/function_code.h"
#include "expr/function_exp.h"

namespace tessera::expr::TESSERA_ISA {

/// xsimd's exp of f64 overflows and underflows too early; near the ends the square of exp(x / 2)
/// does not.
struct Exp {
  static constexpr const char* kName = "exp";
  static constexpr const char* kSummary = "e to the power x";
  static constexpr FunctionGroup kGroup = FunctionGroup::exponentials;
  static constexpr const char* kNumpy = "exp";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::exp;
    if constexpr (Batch<T>) {
      if constexpr (std::is_same_v<typename T::value_type, float>) {
        return Exponential<T>::of(x);
      } else {
        const auto is_near_end = abs(x) > number<T>(707.0);
        if (any(is_near_end)) {
          const T half = exp(number<T>(0.5) * x);
          return select(is_near_end, half * half, exp(x));
        }
        return exp(x);
      }
    } else {
      return exp(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
