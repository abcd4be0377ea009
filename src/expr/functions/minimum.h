#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// One rule for ties, so that the order of a reduction does not show: the minimum of two zeros is
/// -0 if either is.
struct Minimum {
  static constexpr const char* kName = "minimum";
  static constexpr const char* kSummary = "the smaller of x and y; NaN if either is";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "minimum";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  static constexpr const char* kDistributesOver[] = {
      "max", "min"};  // a lattice; min and max have no value on empty
  static constexpr const char* kAnnihilates[] = {"max", "any"};
  using Computed = Same<BoolsAndRealNumbers>;
  static constexpr bool kAssociative = true;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (Batch<T>) {
      return of_batches(x, y);
    } else if constexpr (std::is_floating_point_v<T>) {
      const T equal_bits = float_of_bits(bits_of(x) | bits_of(y));
      const T unordered = x + y;
      const T tie = x == y ? equal_bits : unordered;
      return x < y ? x : y < x ? y : tie;
    } else {
      return x < y ? x : y;
    }
  }

 private:
  /// The processor's min gives its second operand for two zeros and for NaN.
  template <class T>
  static T of_batches(T x, T y) {
    if constexpr (std::is_floating_point_v<typename T::value_type>) {
      const T ordered = select(x == y, x | y, min(y, x));
      return select(y == y, ordered, y);  // xsimd's != misses NaN
    } else {
      return min(x, y);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
