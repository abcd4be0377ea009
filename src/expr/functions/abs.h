#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// The lowest integer is its own absolute value, like in numpy.
struct Abs {
  static constexpr const char* kName = "abs";
  static constexpr const char* kSummary = "the absolute value; of a complex number its magnitude";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "abs";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_part;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = RealPart<Everything>;

  template <class T>
  static auto apply(T x) {
    if constexpr (Batch<T>) {
      return abs(x);
    } else if constexpr (kIsComplex<T>) {
      return std::hypot(x.real(), x.imag());
    } else if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(x);
    } else if constexpr (std::is_signed_v<T>) {
      return x < 0 ? static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(x)) : x;
    } else {
      return x;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
