#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Exp2 {
  static constexpr const char* kName = "exp2";
  static constexpr const char* kSummary = "2 to the power x";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    if constexpr (kIsComplex<T>) {
      return std::exp(x * number<T>(0.6931471805599453));  // ln 2
    } else {
      using std::exp2;
      return exp2(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
