#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Cbrt {
  static constexpr const char* kName = "cbrt";
  static constexpr const char* kSummary = "the cube root";
  static constexpr FunctionGroup kGroup = FunctionGroup::powers;
  static constexpr const char* kNumpy = "cbrt";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (Batch<T>) {
      const Normal<T> normal = normal_of(abs(x));
      const T root = cbrt(normal.value);
      return copysign(select(normal.exponent > T(0), root * number<T>(0x1p-18), root), x);
    } else {
      return std::cbrt(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
