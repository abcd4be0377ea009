#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers wrap. bool has no difference (numpy refuses it too).
struct Subtract {
  static constexpr const char* kName = "subtract";
  static constexpr const char* kSummary = "x - y";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "subtract";
  static constexpr const char* kOperator = "-";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_not_bool;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Numbers>;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(x) - static_cast<Wrapping<T>>(y));
    } else {
      return x - y;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
