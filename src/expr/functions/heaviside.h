#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// NaN stays NaN.
struct Heaviside {
  static constexpr const char* kName = "heaviside";
  static constexpr const char* kSummary = "0 below zero, 1 above, and y at x = 0";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "heaviside";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Floats>;

  template <class T>
  static T apply(T x, T y) {
    const T step = x < T(0) ? T(0) : T(1);
    return x == T(0) ? y : x == x ? step : x;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
