#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Imag {
  static constexpr const char* kName = "imag";
  static constexpr const char* kSummary = "the imaginary part; 0 of a real number";
  static constexpr FunctionGroup kGroup = FunctionGroup::complex;
  static constexpr const char* kNumpy = "imag";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_real_part;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = RealPart<Everything>;

  template <class T>
  static auto apply([[maybe_unused]] T x) {
    if constexpr (kIsComplex<T>) {
      return x.imag();
    } else {
      return T(0);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
