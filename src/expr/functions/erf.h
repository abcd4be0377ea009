#pragma once

#include "expr/function_code.h"
#include "expr/function_erf.h"

namespace tessera::expr::TESSERA_ISA {

struct Erf {
  static constexpr const char* kName = "erf";
  static constexpr const char* kSummary = "the error function";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "scipy.special.erf";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (Batch<T>) {
      return ErrorFunction<T>::erf(x);
    } else {
      return std::erf(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
