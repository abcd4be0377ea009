#pragma once

#include "expr/function_code.h"
#include "expr/functions/sigmoid.h"

namespace tessera::expr::TESSERA_ISA {

struct Silu {
  static constexpr const char* kName = "silu";
  static constexpr const char* kSummary = "x * sigmoid(x)";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "torch.nn.functional.silu";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    return x * Sigmoid::apply(x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
