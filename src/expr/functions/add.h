#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers wrap.
struct Add {
  static constexpr const char* kName = "add";
  static constexpr const char* kSummary = "x + y; of bool: or";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "add";
  static constexpr const char* kOperator = "+";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_any;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  static constexpr const char* kDistributesOver[] = {
      "min", "max"};  // integers: as long as x + y does not wrap
  static constexpr const char* kAnnihilatesFloats[] = {"min", "max"};
  using Computed = Same<Everything>;
  static constexpr bool kAssociative = true;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_same_v<T, bool>) {
      return x | y;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(x) + static_cast<Wrapping<T>>(y));
    } else {
      return x + y;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
