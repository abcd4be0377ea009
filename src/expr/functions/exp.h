#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Exp {
  static constexpr const char* kName = "exp";
  static constexpr const char* kSummary = "e to the power x";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::exp;
    return exp(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
