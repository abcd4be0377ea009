#pragma once

#include "expr/function_code.h"
#include "expr/functions/multiply.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers stay integers and wrap. A negative integer exponent gives the reciprocal truncated to
/// an integer: 1 for 1, 1 or -1 for -1, 0 for the rest, and a fault (division by zero) for 0; numpy
/// refuses it. Squares and cubes are products, so they are exact where the product is.
struct Power {
  static constexpr const char* kName = "power";
  static constexpr const char* kSummary = "x to the power y";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_bool_as_i8;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Same<Numbers>;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      return integer_power(x, y);
    } else {
      if (y == T(2)) {
        return Multiply::apply(x, x);
      }
      if (y == T(3)) {
        return Multiply::apply(Multiply::apply(x, x), x);
      }
      return std::pow(x, y);
    }
  }

  template <std::integral T>
  static bool faults(T x, T y) {
    return std::is_signed_v<T> && y < T(0) && x == T(0);
  }

 private:
  template <class T>
  static T integer_power(T x, T y) {
    if constexpr (std::is_signed_v<T>) {
      if (y < 0) {
        const bool is_odd = (y & 1) != 0;
        return x == T(1) ? T(1) : x == T(-1) ? static_cast<T>(is_odd ? -1 : 1) : T(0);
      }
    }
    Wrapping<T> base = static_cast<Wrapping<T>>(x);
    Wrapping<T> result = 1;
    for (auto exponent = static_cast<std::make_unsigned_t<T>>(y); exponent != 0; exponent >>= 1) {
      result *= (exponent & 1) != 0 ? base : Wrapping<T>(1);
      base *= base;
    }
    return static_cast<T>(result);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
