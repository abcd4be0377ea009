#pragma once

#include "expr/function_code.h"
#include "expr/function_random.h"

namespace tessera::expr::TESSERA_ISA {

/// The first 64 bits of philox_block(), so that a draw is the same wherever and whenever its
/// element is computed; for narrower integers the low bits.
struct Philox {
  static constexpr const char* kName = "philox";
  static constexpr const char* kSummary =
      "random bits of a key and a counter: the same pair, the same bits";
  static constexpr FunctionGroup kGroup = FunctionGroup::draws;
  static constexpr const char* kNumpy = "";
  static constexpr const char* kArguments = "key, counter";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_shift;
  static constexpr FunctionCost kCost = FunctionCost::one_by_one;
  using Computed = Same<Integers>;

  template <class T>
  static T apply(T key, T counter) {
    return static_cast<T>(
        philox_block(static_cast<uint64_t>(key), static_cast<uint64_t>(counter)).first);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
