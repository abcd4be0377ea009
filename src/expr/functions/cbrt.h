#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Cbrt {
  static constexpr const char* kName = "cbrt";
  static constexpr const char* kSummary = "the cube root";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_floating;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::cbrt;
    return cbrt(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
