#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// An integer divisor of zero is a fault; a float one gives NaN. -1 is a separate case because the
/// processor traps on the quotient of the lowest integer by it.
struct Remainder {
  static constexpr const char* kName = "remainder";
  static constexpr const char* kSummary = "x - y * floor(x / y): has the sign of y, as % of Python";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "remainder";
  static constexpr const char* kOperator = "%";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real_bool_as_i8;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Same<RealNumbers>;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      const T truncated = std::fmod(x, y);
      if (truncated == T(0)) {
        return std::copysign(T(0), y);
      }
      return (y < T(0)) != (truncated < T(0)) ? truncated + y : truncated;
    } else if constexpr (std::is_signed_v<T>) {
      if (y == T(0) || y == T(-1)) {
        return T(0);
      }
      const T truncated = static_cast<T>(x % y);
      return truncated != 0 && (truncated < 0) != (y < 0) ? static_cast<T>(truncated + y)
                                                          : truncated;
    } else {
      return y == 0 ? T(0) : static_cast<T>(x % y);
    }
  }

  static constexpr Fault kFault = Fault::division_by_zero;
  template <std::integral T>
  static bool faults(T, T y) {
    return y == 0;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
