#pragma once

#include "expr/function_code.h"
#include "expr/functions/multiply.h"

namespace tessera::expr::TESSERA_ISA {

struct Square {
  static constexpr const char* kName = "square";
  static constexpr const char* kSummary = "x * x";
  static constexpr FunctionGroup kGroup = FunctionGroup::powers;
  static constexpr const char* kNumpy = "square";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_bool_as_i8;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Numbers>;

  template <class T>
  static T apply(T x) {
    return Multiply::apply(x, x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
