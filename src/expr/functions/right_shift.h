#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// A shift by a negative number or by all bits and more gives 0, or -1 for a negative x, like in
/// numpy.
struct RightShift {
  static constexpr const char* kName = "right_shift";
  static constexpr const char* kSummary = "x over 2 to the power y, rounded down";
  static constexpr FunctionGroup kGroup = FunctionGroup::bits;
  static constexpr const char* kNumpy = "right_shift";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_shift;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Integers>;

  template <class T>
  static T apply(T x, T y) {
    constexpr auto kBits = static_cast<Wrapping<T>>(8 * sizeof(T));
    const T all_signs = std::is_signed_v<T> && x < T(0) ? static_cast<T>(-1) : T(0);
    const bool is_within = static_cast<Wrapping<T>>(y) < kBits;
    return is_within ? static_cast<T>(x >> y) : all_signs;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
