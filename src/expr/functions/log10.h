#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Log10 {
  static constexpr const char* kName = "log10";
  static constexpr const char* kSummary = "the logarithm to base 10";
  static constexpr FunctionGroup kGroup = FunctionGroup::exponentials;
  static constexpr const char* kNumpy = "log10";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (Batch<T>) {
      const Normal<T> normal = normal_of(x);
      return log10(normal.value) - normal.exponent * number<T>(0.3010299956639812);  // log10(2)
    } else {
      return std::log10(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
