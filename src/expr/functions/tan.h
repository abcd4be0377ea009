#pragma once

#include "expr/function_code.h"
#include "expr/function_sine.h"

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
    if constexpr (Batch<T>) {
      return by_sine(
          x, [](const Sine<T>& sine) { return sine.sine() / sine.cosine(); },
          [](T each) { return tan(each); });
    } else {
      return tan(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
