#pragma once

#include "expr/function_code.h"
#include "expr/functions/exp.h"
#include "expr/functions/log1p.h"

namespace tessera::expr::TESSERA_ISA {

struct Softplus {
  static constexpr const char* kName = "softplus";
  static constexpr const char* kSummary = "log(1 + exp(x))";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "torch.nn.functional.softplus";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::abs;
    return Log1p::apply(Exp::apply(-abs(x))) + select(x > T(0), x, T(0));
  }
};

}  // namespace tessera::expr::TESSERA_ISA
