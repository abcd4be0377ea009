#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Log {
  static constexpr const char* kName = "log";
  static constexpr const char* kSummary = "the natural logarithm";
  static constexpr FunctionGroup kGroup = FunctionGroup::exponentials;
  static constexpr const char* kNumpy = "log";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (Batch<T>) {
      const Normal<T> normal = normal_of(x);
      return log(normal.value) - normal.exponent * number<T>(0.6931471805599453);  // ln 2
    } else {
      return std::log(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
