#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Log10 {
  static constexpr const char* kName = "log10";
  static constexpr const char* kSummary = "the logarithm to base 10";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::log10;
    return log10(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
