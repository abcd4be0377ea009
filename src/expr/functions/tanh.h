#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Tanh {
  static constexpr const char* kName = "tanh";
  static constexpr const char* kSummary = "the hyperbolic tangent";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "tanh";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::tanh;
    return tanh(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
