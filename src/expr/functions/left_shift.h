#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// A shift by a negative number or by all bits and more gives 0, like in numpy.
struct LeftShift {
  static constexpr const char* kName = "left_shift";
  static constexpr const char* kSummary = "x times 2 to the power y";
  static constexpr FunctionGroup kGroup = FunctionGroup::bits;
  static constexpr const char* kNumpy = "left_shift";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_shift;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Integers>;

  template <class T>
  static T apply(T x, T y) {
    constexpr auto kBits = static_cast<Wrapping<T>>(8 * sizeof(T));
    const bool is_within = static_cast<Wrapping<T>>(y) < kBits;
    return is_within ? static_cast<T>(static_cast<Wrapping<T>>(x) << static_cast<Wrapping<T>>(y))
                     : T(0);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
