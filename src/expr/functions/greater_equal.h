#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct GreaterEqual {
  static constexpr const char* kName = "greater_equal";
  static constexpr const char* kSummary = "true if x >= y";
  static constexpr FunctionGroup kGroup = FunctionGroup::comparisons;
  static constexpr const char* kNumpy = "greater_equal";
  static constexpr const char* kOperator = ">=";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_order;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Test<BoolsAndRealNumbers>;

  template <class T>
  static bool apply(T x, T y) {
    return x >= y;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
