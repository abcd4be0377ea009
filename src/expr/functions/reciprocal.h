#pragma once

#include "expr/function_code.h"
#include "expr/functions/divide.h"

namespace tessera::expr::TESSERA_ISA {

/// Integers are inverted in f64 like in divide; numpy truncates them to 0, which is of no use.
struct Reciprocal {
  static constexpr const char* kName = "reciprocal";
  static constexpr const char* kSummary = "1 / x as a float";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "reciprocal";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_division;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<FloatsAndComplexes>;

  template <class T>
  static T apply(T x) {
    return Divide::apply(T(1), x);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
