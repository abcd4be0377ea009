#pragma once

#include "expr/function_code.h"
#include "expr/function_erf.h"

namespace tessera::expr::TESSERA_ISA {

struct Erfc {
  static constexpr const char* kName = "erfc";
  static constexpr const char* kSummary = "1 - erf(x), accurate for large x";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "scipy.special.erfc";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (Batch<T>) {
      return ErrorFunction<T>::erfc(x);
    } else {
      return std::erfc(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
