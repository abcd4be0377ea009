#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers stay the same.
struct Round {
  static constexpr const char* kName = "round";
  static constexpr const char* kSummary = "the nearest integer, ties to even";
  static constexpr FunctionGroup kGroup = FunctionGroup::rounding;
  static constexpr const char* kNumpy = "round";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<BoolsAndRealNumbers>;

  template <class T>
  static T apply(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::nearbyint(x);
    } else {
      return x;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
