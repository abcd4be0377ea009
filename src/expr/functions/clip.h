#pragma once

#include "expr/function_code.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"

namespace tessera::expr::TESSERA_ISA {

struct Clip {
  static constexpr const char* kName = "clip";
  static constexpr const char* kSummary = "minimum(maximum(x, low), high)";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "clip";
  static constexpr const char* kArguments = "x, low, high";
  static constexpr const char* kExample = "Y[i] = clip(X[i], 0, 1)";
  static constexpr int kArity = 3;
  static constexpr TypeRule kRule = &bind_real;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<BoolsAndRealNumbers>;

  template <class T>
  static T apply(T x, T low, T high) {
    return Minimum::apply(Maximum::apply(x, low), high);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
