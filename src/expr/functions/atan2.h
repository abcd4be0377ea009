#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Atan2 {
  static constexpr const char* kName = "atan2";
  static constexpr const char* kSummary = "the angle of the point (y, x), in [-pi, pi]";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "arctan2";
  static constexpr const char* kArguments = "y, x";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T y, T x) {
    if constexpr (Batch<T>) {
      // The quotient of two zeros or two infinities is no number; the angle depends on the signs
      // alone.
      const auto both_infinite = (abs(x) == infinity<T>()) && (abs(y) == infinity<T>());
      const auto both_zero = (x == T(0)) && (y == T(0));
      const T run = select(both_infinite || both_zero, copysign(T(1), x), x);
      const T rise = select(both_infinite, copysign(T(1), y), y);
      return atan2(rise, run);
    } else {
      return std::atan2(y, x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
