#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Source of the complex form: R. L. Smith, Algorithm 116, CACM 5(8), 1962; numpy uses it too.
struct Divide {
  static constexpr const char* kName = "divide";
  static constexpr const char* kSummary = "x / y as a float (integers are divided in f64)";
  static constexpr FunctionGroup kGroup = FunctionGroup::arithmetic;
  static constexpr const char* kNumpy = "divide";
  static constexpr const char* kOperator = "/";
  static constexpr int kArity = 2;
  static constexpr TypeRule kRule = &bind_division;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<FloatsAndComplexes>;

  template <class T>
  static T apply(T x, T y) {
    if constexpr (kIsComplex<T>) {
      return divide_complex(x, y);
    } else {
      return x / y;
    }
  }

 private:
  template <class T>
  static T divide_complex(T x, T y) {
    using Part = typename T::value_type;
    if (y == T(0)) {
      return T(x.real() / std::abs(y.real()), x.imag() / std::abs(y.real()));
    }
    if (std::abs(y.real()) >= std::abs(y.imag())) {
      const Part ratio = y.imag() / y.real();
      const Part scale = Part(1) / (y.real() + y.imag() * ratio);
      return T((x.real() + x.imag() * ratio) * scale, (x.imag() - x.real() * ratio) * scale);
    }
    const Part ratio = y.real() / y.imag();
    const Part scale = Part(1) / (y.imag() + y.real() * ratio);
    return T((x.real() * ratio + x.imag()) * scale, (x.imag() * ratio - x.real()) * scale);
  }
};

}  // namespace tessera::expr::TESSERA_ISA
