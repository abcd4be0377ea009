#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Acos {
  static constexpr const char* kName = "acos";
  static constexpr const char* kSummary = "the inverse cosine, in [0, pi]";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "arccos";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::acos;
    return acos(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
