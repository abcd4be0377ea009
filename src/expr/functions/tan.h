#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Tan {
  static constexpr const char* kName = "tan";
  static constexpr const char* kSummary = "the tangent";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "tan";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::tan;
    return tan(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
