#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct LogicalXor {
  static constexpr const char* kName = "logical_xor";
  static constexpr const char* kSummary = "true if exactly one is nonzero";
  static constexpr FunctionGroup kGroup = FunctionGroup::logic;
  static constexpr const char* kNumpy = "logical_xor";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_logical;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Test<Bools>;
  static constexpr bool kAssociative = true;

  static bool apply(bool x, bool y) { return x != y; }
};

}  // namespace tessera::expr::TESSERA_ISA
