#!/usr/bin/python3
"""Writes a new scalar function and its test: tools/new_function.py NAME."""
import new_file

FUNCTION = """\
#pragma once

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Says what is not in the summary: values at NaN, at the ends of the domain, where an argument faults.
struct $Type {
  static constexpr const char* kName = "$name";
  static constexpr const char* kSummary = "one line, as the reference page prints it";
  static constexpr FunctionGroup kGroup = FunctionGroup::special;
  static constexpr const char* kNumpy = "numpy's name, or another library's: scipy.special.erf";
  static constexpr int kArity = 1;
  static constexpr TypeRule kRule = &bind_floating;
  static constexpr FunctionCost kCost = FunctionCost::instruction;
  using Computed = Same<Floats>;

  template <class T>
  static T apply(T x) {
    return x;
  }
};

}  // namespace tessera::expr::TESSERA_ISA
"""

TEST = """\
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/block_function.h"

namespace tessera::kernels::${name}_test {

namespace {

double ${name}_of(double x) {
  const BlockFunction function =
      find_block_function("$name", {{DType::f64}, DType::f64}, Isa::scalar);
  const void* const arguments[] = {&x};
  double result = 0;
  EXPECT_NE(function, nullptr);
  EXPECT_EQ(function(arguments, &result, 1), Status::ok);
  return result;
}

TEST($Type, ValuesOfPaper) {
  EXPECT_EQ(${name}_of(0.0), 0.0);
  EXPECT_EQ(${name}_of(1.0), 1.0);
}

TEST($Type, NanStaysNan) {
  EXPECT_TRUE(std::isnan(${name}_of(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace

}  // namespace tessera::kernels::${name}_test
"""

if __name__ == "__main__":
    new_file.main("scalar function", "", {
        "src/expr/functions/$name.h": FUNCTION,
        "test/unit/kernels/${name}_test.cpp": TEST,
    })
