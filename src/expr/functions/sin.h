#pragma once

#include "expr/function_code.h"
#include "expr/function_sine.h"

namespace tessera::expr::TESSERA_ISA {

struct Sin {
  static constexpr const char* kName = "sin";
  static constexpr const char* kSummary = "the sine";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "sin";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::sin;
    if constexpr (Batch<T>) {
      return by_sine(
          x, [](const Sine<T>& sine) { return sine.sine(); }, [](T each) { return sin(each); });
    } else {
      return sin(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
