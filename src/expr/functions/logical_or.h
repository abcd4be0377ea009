#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct LogicalOr {
  static constexpr const char* kName = "logical_or";
  static constexpr const char* kSummary = "true if either is nonzero";
  static constexpr FunctionGroup kGroup = FunctionGroup::logic;
  static constexpr const char* kNumpy = "logical_or";
  static constexpr const char* kOperator = "or";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_logical;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  static constexpr const char* kDistributesOver[] = {"all"};
  static constexpr const char* kAnnihilates[] = {"all", "prod", "min"};  // true
  using Computed = Test<Bools>;
  static constexpr bool kAssociative = true;

  static bool apply(bool x, bool y) { return x | y; }
};

}  // namespace tessera::expr::TESSERA_ISA
