#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// An integer divisor of zero is a fault; a float one gives x / 0. The lowest integer divided by -1
/// wraps; it is a separate case because the processor traps on it. Floats follow Python: the
/// quotient is that of x less fmod's remainder, so that it agrees with remainder.
struct FloorDivide {
  static constexpr const char* kName = "floor_divide";
  static constexpr const char* kSummary = "floor(x / y), as // of Python";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "floor_divide";
  static constexpr const char* kOperator = "//";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real_bool_as_i8;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Same<RealNumbers>;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return divide_floats(x, y);
    } else if constexpr (std::is_signed_v<T>) {
      if (y == 0) {
        return T(0);
      }
      if (y == T(-1)) {
        return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(x));
      }
      const T quotient = static_cast<T>(x / y);
      return x % y != 0 && (x < 0) != (y < 0) ? static_cast<T>(quotient - 1) : quotient;
    } else {
      return y == 0 ? T(0) : static_cast<T>(x / y);
    }
  }

  static constexpr Fault kFault = Fault::division_by_zero;
  template <std::integral T>
  static bool faults(T, T y) {
    return y == 0;
  }

 private:
  template <class T>
  static T divide_floats(T x, T y) {
    if (y == T(0)) {
      return x / y;
    }
    const T rest = std::fmod(x, y);
    T quotient = (x - rest) / y;
    if (rest != T(0) && (y < T(0)) != (rest < T(0))) {
      quotient -= T(1);
    }
    if (quotient == T(0)) {
      return std::copysign(T(0), x / y);
    }
    const T floored = std::floor(quotient);
    return quotient - floored > T(0.5) ? floored + T(1) : floored;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
