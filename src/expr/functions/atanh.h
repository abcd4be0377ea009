#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Atanh {
  static constexpr const char* kName = "atanh";
  static constexpr const char* kSummary = "the inverse hyperbolic tangent";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "arctanh";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::atanh;
    return atanh(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
