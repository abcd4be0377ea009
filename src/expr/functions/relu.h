#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// NaN stays NaN.
struct Relu {
  static constexpr const char* kName = "relu";
  static constexpr const char* kSummary = "max(x, 0)";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "torch.relu";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<BoolsAndRealNumbers>;

  template <class T>
  static T apply(T x) {
    if constexpr (std::is_unsigned_v<T>) {
      return x;
    } else {
      return x < T(0) ? T(0) : x;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
