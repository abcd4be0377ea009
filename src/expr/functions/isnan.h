#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Isnan {
  static constexpr const char* kName = "isnan";
  static constexpr const char* kSummary = "true if x is not a number";
  static constexpr FunctionGroup kGroup = FunctionGroup::comparisons;
  static constexpr const char* kNumpy = "isnan";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_float_test;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Test<FloatsAndComplexes>;

  template <class T>
  static bool apply(T x) {
    return x != x;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
