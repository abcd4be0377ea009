#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// A number outside of 0 to num_groups - 1 is a fault, so that no grouped element is lost.
struct InGroup {
  static constexpr const char* kName = "in_group";
  static constexpr const char* kSummary = "true if x is the group y of z groups";
  static constexpr FunctionGroup kGroup = FunctionGroup::unwritten;
  static constexpr const char* kNumpy = "";
  static constexpr int kArity = 3;
  static constexpr TypeRule kRule = &bind_group;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Test<Types<int64_t>>;

  template <class T>
  static bool apply(T number, T group, T) {
    return number == group;
  }

  static constexpr Fault kFault = Fault::no_group;
  template <std::integral T>
  static bool faults(T number, T, T num_groups) {
    return number < 0 || number >= num_groups;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
