#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Real {
  static constexpr const char* kName = "real";
  static constexpr const char* kSummary = "the real part";
  static constexpr FunctionGroup kGroup = FunctionGroup::complex;
  static constexpr const char* kNumpy = "real";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_part;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = RealPart<Everything>;

  template <class T>
  static auto apply(T x) {
    if constexpr (kIsComplex<T>) {
      return x.real();
    } else {
      return x;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
