#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct LogicalAnd {
  static constexpr const char* kName = "logical_and";
  static constexpr const char* kSummary = "true if both are nonzero";
  static constexpr FunctionGroup kGroup = FunctionGroup::logic;
  static constexpr const char* kNumpy = "logical_and";
  static constexpr const char* kOperator = "and";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_logical;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  static constexpr const char* kDistributesOver[] = {"any", "sum"};     // the sum of bool is or
  static constexpr const char* kAnnihilates[] = {"sum", "any", "max"};  // false
  using Computed = Test<Bools>;
  static constexpr bool kAssociative = true;

  static bool apply(bool x, bool y) { return x & y; }
};

}  // namespace tessera::expr::TESSERA_ISA
