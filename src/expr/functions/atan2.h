#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Atan2 {
  static constexpr const char* kName = "atan2";
  static constexpr const char* kSummary = "the angle of the point (y, x), in [-pi, pi]";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real_floating;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T y, T x) {
    using std::atan2;
    return atan2(y, x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
