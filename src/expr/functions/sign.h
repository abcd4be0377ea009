#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// NaN stays NaN, and both zeros give 0.
struct Sign {
  static constexpr const char* kName = "sign";
  static constexpr const char* kSummary =
      "-1, 0 or 1 by the sign of x; of a complex number x / abs(x)";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "sign";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_not_bool;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Numbers>;

  template <class T>
  static T apply(T x) {
    if constexpr (kIsComplex<T>) {
      const auto magnitude = std::hypot(x.real(), x.imag());
      return magnitude == 0 ? T(0) : T(x.real() / magnitude, x.imag() / magnitude);
    } else if constexpr (std::is_unsigned_v<T>) {
      return x > 0 ? T(1) : T(0);
    } else {
      const T nonzero = x > T(0) ? T(1) : T(-1);
      return x == T(0) ? T(0) : x == x ? nonzero : x;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
