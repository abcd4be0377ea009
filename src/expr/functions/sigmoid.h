#pragma once

#include "expr/function_code.h"
#include "expr/functions/exp.h"

namespace tessera::expr::TESSERA_ISA {

/// The exponential of a negative number only: nothing overflows, and the small tail keeps its
/// digits.
struct Sigmoid {
  static constexpr const char* kName = "sigmoid";
  static constexpr const char* kSummary = "1 / (1 + exp(-x))";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "torch.sigmoid";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<Floats>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::abs;
    const T shrunk = Exp::apply(-abs(x));
    return select(x >= T(0), T(1), shrunk) / (T(1) + shrunk);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
