#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Log1p {
  static constexpr const char* kName = "log1p";
  static constexpr const char* kSummary = "log(1 + x), accurate near 0";
  static constexpr FunctionGroup kGroup = FunctionGroup::exponentials;
  static constexpr const char* kNumpy = "log1p";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (kIsComplex<T>) {
      return T(std::log(std::hypot(x.real() + 1, x.imag())), std::atan2(x.imag(), x.real() + 1));
    } else if constexpr (Batch<T>) {
      return select(x == T(0), x, log1p(x));  // keeps the sign of zero
    } else {
      return std::log1p(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
