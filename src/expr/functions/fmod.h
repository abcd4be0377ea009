#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// An integer divisor of zero is a fault; a float one gives NaN. -1 is a separate case because the
/// processor traps on the quotient of the lowest integer by it.
struct Fmod {
  static constexpr const char* kName = "fmod";
  static constexpr const char* kSummary = "x - y * trunc(x / y): has the sign of x, as fmod of C";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "fmod";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real_bool_as_i8;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Same<RealNumbers>;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(x, y);
    } else {
      const bool has_no_rest = y == 0 || (std::is_signed_v<T> && y == static_cast<T>(-1));
      return has_no_rest ? T(0) : static_cast<T>(x % y);
    }
  }

  static constexpr Fault kFault = Fault::division_by_zero;
  template <std::integral T>
  static bool faults(T, T y) {
    return y == 0;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
