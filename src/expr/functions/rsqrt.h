#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Rsqrt {
  static constexpr const char* kName = "rsqrt";
  static constexpr const char* kSummary = "1 / sqrt(x)";
  static constexpr FunctionGroup kGroup = FunctionGroup::powers;
  static constexpr const char* kNumpy = "torch.rsqrt";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<FloatsAndComplexes>;

  template <class T>
  static T apply(T x) {
    return T(1) / std::sqrt(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
