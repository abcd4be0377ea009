#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Atan {
  static constexpr const char* kName = "atan";
  static constexpr const char* kSummary = "the inverse tangent, in [-pi/2, pi/2]";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "arctan";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::atan;
    return atan(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
