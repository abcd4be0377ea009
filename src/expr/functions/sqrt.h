#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Sqrt {
  static constexpr const char* kName = "sqrt";
  static constexpr const char* kSummary = "the square root";
  static constexpr FunctionGroup kGroup = FunctionGroup::powers;
  static constexpr const char* kNumpy = "sqrt";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<FloatsAndComplexes>;

  template <class T>
  static T apply(T x) {
    return std::sqrt(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
