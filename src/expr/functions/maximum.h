#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// One rule for ties, so that the order of a reduction does not show: the maximum of two zeros is
/// +0 if either is.
struct Maximum {
  static constexpr const char* kName = "maximum";
  static constexpr const char* kSummary = "the larger of x and y; NaN if either is";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "maximum";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_real;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  static constexpr const char* kDistributesOver[] = {
      "min", "max"};  // a lattice; min and max have no value on empty
  static constexpr const char* kAnnihilates[] = {"min", "all"};
  using Computed = Same<BoolsAndRealNumbers>;
  static constexpr bool kAssociative = true;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (Batch<T>) {
      return of_batches(x, y);
    } else if constexpr (std::is_floating_point_v<T>) {
      const T equal_bits = float_of_bits(bits_of(x) & bits_of(y));
      const T unordered = x + y;
      const T tie = x == y ? equal_bits : unordered;
      return x > y ? x : y > x ? y : tie;
    } else {
      return x > y ? x : y;
    }
  }

 private:
  /// The processor's max gives its second operand for two zeros and for NaN.
  template <class T>
  static T of_batches(T x, T y) {
    if constexpr (std::is_floating_point_v<typename T::value_type>) {
      const T ordered = select(x == y, x & y, max(y, x));
      return select(y == y, ordered, y);  // xsimd's != misses NaN
    } else {
      return max(x, y);
    }
  }
};

}  // namespace tessera::expr::TESSERA_ISA
