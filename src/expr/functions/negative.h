#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers wrap, unsigned ones too.
struct Negative {
  static constexpr const char* kName = "negative";
  static constexpr const char* kSummary = "-x";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "negative";
  static constexpr const char* kOperator = "-";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_not_bool;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Numbers>;

  template <class T>
  static T apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(x));
    } else {
      return -x;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
