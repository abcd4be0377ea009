#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct NotEqual {
  static constexpr const char* kName = "not_equal";
  static constexpr const char* kSummary = "true if x != y";
  static constexpr FunctionGroup kGroup = FunctionGroup::comparisons;
  static constexpr const char* kNumpy = "not_equal";
  static constexpr const char* kOperator = "!=";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_equality;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Test<Everything>;

  template <class T>
  static bool apply(T x, T y) {
    return x != y;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
