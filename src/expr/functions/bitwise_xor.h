#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

struct BitwiseXor {
  static constexpr const char* kName = "bitwise_xor";
  static constexpr const char* kSummary = "x ^ y, bit by bit";
  static constexpr FunctionGroup kGroup = FunctionGroup::bits;
  static constexpr const char* kNumpy = "bitwise_xor";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_bits;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Join<Bools, Integers>>;
  static constexpr bool kAssociative = true;

  template <class T>
  static T apply(T x, T y) {
    return static_cast<T>(x ^ y);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
