#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// xsimd's acosh gives numbers for large negative arguments.
struct Acosh {
  static constexpr const char* kName = "acosh";
  static constexpr const char* kSummary = "the inverse hyperbolic cosine";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "arccosh";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::acosh;
    if constexpr (Batch<T>) {
      return select(x >= T(1), acosh(x), nan<T>());
    } else {
      return acosh(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
