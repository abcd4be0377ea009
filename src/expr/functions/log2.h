#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Log2 {
  static constexpr const char* kName = "log2";
  static constexpr const char* kSummary = "the logarithm to base 2";
  static constexpr FunctionGroup kGroup = FunctionGroup::exponentials;
  static constexpr const char* kNumpy = "log2";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (kIsComplex<T>) {
      return std::log(x) * number<T>(1.4426950408889634);  // 1 / ln 2
    } else if constexpr (Batch<T>) {
      const Normal<T> normal = normal_of(x);
      return log2(normal.value) - normal.exponent;
    } else {
      return std::log2(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
