#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct Where {
  static constexpr const char* kName = "where";
  static constexpr const char* kSummary = "yes where condition is nonzero, else no";
  static constexpr FunctionGroup kGroup = FunctionGroup::comparisons;
  static constexpr const char* kNumpy = "where";
  static constexpr const char* kArguments = "condition, yes, no";
  static constexpr const char* kExample = "Z[i] = where(X[i] > 0, X[i], Y[i])";
  static constexpr int kArity = 3;
  static constexpr TypeRule kRule = &bind_choice;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Choice<Everything>;

  template <class T>
  static T apply(bool condition, T yes, T no) {
    if constexpr (std::is_same_v<T, bool>) {
      return (condition & yes) | (!condition & no);  // a choice of bools is not vectorised
    } else {
      return condition ? yes : no;
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
