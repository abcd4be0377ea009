#pragma once

#include "expr/function_code.h"
#include "expr/function_power.h"
#include "expr/functions/multiply.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers stay integers and wrap. A negative exponent of integers is a fault, like in numpy: the
/// result is no integer. Squares and cubes are products, so they are exact if the product is. Other
/// powers of f32 are within 0.54 units in the last place, in vectors within 0.51, those of f64 like
/// the C++ library's; with a constant exponent that is a multiple of 1/2 up to 16 both are within
/// 0.51 (kernels/isa/half_powers.h).
struct Power {
  static constexpr const char* kName = "power";
  static constexpr const char* kSummary = "x to the power y";
  static constexpr FunctionGroup kGroup = FunctionGroup::powers;
  static constexpr const char* kNumpy = "power";
  static constexpr const char* kOperator = "^";
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

  template <std::same_as<float> T>
  static bool is_rare(T x, T y) {
    return PowerOfFloats::is_rare(x, y);
  }
  template <std::same_as<float> T>
  static T apply_common(T x, T y) {
    const T any = PowerOfFloats::power(x, y);
    const T square = x * x;
    const T cube = square * x;
    const T odd = y == 3 ? cube : any;
    return y == 2 ? square : odd;
  }

  static constexpr Fault kFault = Fault::negative_power;
  template <std::integral T>
  static bool faults(T, T y) {
    return std::is_signed_v<T> && y < T(0);
  }

 private:
  template <class T>
  static T integer_power(T x, T y) {
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
