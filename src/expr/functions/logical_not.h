#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct LogicalNot {
  static constexpr const char* kName = "logical_not";
  static constexpr const char* kSummary = "true if x is zero";
  static constexpr FunctionGroup kGroup = FunctionGroup::logic;
  static constexpr const char* kNumpy = "logical_not";
  static constexpr const char* kOperator = "not";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_logical;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Test<Bools>;

  static bool apply(bool x) { return !x; }
};

}  // namespace tessera::expr::TESSERA_ISA
