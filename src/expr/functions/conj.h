#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Conj {
  static constexpr const char* kName = "conj";
  static constexpr const char* kSummary = "the complex conjugate";
  static constexpr FunctionGroup kGroup = FunctionGroup::complex;
  static constexpr const char* kNumpy = "conj";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_any;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Everything>;

  template <class T>
  static T apply(T x) {
    if constexpr (kIsComplex<T>) {
      return T(x.real(), -x.imag());
    } else {
      return x;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
