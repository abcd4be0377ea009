#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers wrap. Complex numbers use the schoolbook formula like numpy, without C's recovery of
/// infinities.
struct Multiply {
  static constexpr const char* kName = "multiply";
  static constexpr const char* kSummary = "x * y; of bool: and";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "multiply";
  static constexpr const char* kOperator = "*";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_any;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  static constexpr const char* kDistributesOver[] = {"sum"};  // of bool: and over or
  static constexpr const char* kAnnihilates[] = {"sum", "any"};
  using Computed = Same<Everything>;
  static constexpr bool kAssociative = true;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_same_v<T, bool>) {
      return x & y;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(y));
    } else if constexpr (kIsComplex<T>) {
      return T(x.real() * y.real() - x.imag() * y.imag(),
               x.real() * y.imag() + x.imag() * y.real());
    } else {
      return x * y;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
