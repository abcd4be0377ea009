#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Isinf {
  static constexpr const char* kName = "isinf";
  static constexpr const char* kSummary = "true if x is infinite";
  static constexpr FunctionGroup kGroup = FunctionGroup::comparisons;
  static constexpr const char* kNumpy = "isinf";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_float_test;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Test<FloatsAndComplexes>;

  template <class T>
  static bool apply(T x) {
    if constexpr (kIsComplex<T>) {
      return apply(x.real()) || apply(x.imag());
    } else {
      return std::fabs(x) == std::numeric_limits<T>::infinity();
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
