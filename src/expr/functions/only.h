#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Marks an element that an aggregate merges only if the condition holds (expr/guard.h): there it
/// is no function, and everywhere else it is y.
struct Only {
  static constexpr const char* kName = "only";
  static constexpr const char* kSummary = "under an aggregate: y is merged only where x is true";
  static constexpr FunctionGroup kGroup = FunctionGroup::unwritten;
  static constexpr const char* kNumpy = "";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_guard;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Choice<Everything>;

  template <class T>
  static T apply(bool, T y) {
    return y;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
