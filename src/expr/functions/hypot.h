#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Hypot {
  static constexpr const char* kName = "hypot";
  static constexpr const char* kSummary = "sqrt(x*x + y*y) without overflow";
  static constexpr FunctionGroup kGroup = FunctionGroup::powers;
  static constexpr const char* kNumpy = "hypot";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Same<Floats>;
  static constexpr bool kAssociative = true;

  template <class T>
  static T apply(T x, T y) {
    return std::hypot(x, y);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
