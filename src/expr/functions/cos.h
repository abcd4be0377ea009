#pragma once

#include "expr/function_code.h"
#include "expr/function_sine.h"

namespace tessera::expr::TESSERA_ISA {

struct Cos {
  static constexpr const char* kName = "cos";
  static constexpr const char* kSummary = "the cosine";
  static constexpr FunctionGroup kGroup = FunctionGroup::trigonometry;
  static constexpr const char* kNumpy = "cos";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::series;
  using Computed = Same<FloatsAndComplexes>;
  static constexpr bool kTakesBatches = true;

  template <class T>
  static T apply(T x) {
    using std::cos;
    if constexpr (Batch<T>) {
      return by_sine(
          x, [](const Sine<T>& sine) { return sine.cosine(); }, [](T each) { return cos(each); });
    } else {
      return cos(x);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
