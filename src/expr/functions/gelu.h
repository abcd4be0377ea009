#pragma once

#include "expr/function_code.h"
#include "expr/functions/erfc.h"

namespace tessera::expr::TESSERA_ISA {

/// The exact form, not the one by tanh; erfc keeps the digits of the negative tail.
struct Gelu {
  static constexpr const char* kName = "gelu";
  static constexpr const char* kSummary = "x * P(standard normal <= x), by erf";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "torch.nn.functional.gelu";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    return number<T>(0.5) * x * Erfc::apply(x * number<T>(-0.7071067811865476));  // 1 / sqrt(2)
  }
};

}  // namespace tessera::expr::TESSERA_ISA
