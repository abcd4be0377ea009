#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers stay the same.
struct Ceil {
  static constexpr const char* kName = "ceil";
  static constexpr const char* kSummary = "the smallest integer not below x";
  static constexpr FunctionGroup kGroup = FunctionGroup::rounding;
  static constexpr const char* kNumpy = "ceil";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<BoolsAndRealNumbers>;

  template <class T>
  static T apply(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::ceil(x);
    } else {
      return x;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
