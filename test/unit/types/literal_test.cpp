#include "types/literal.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tessera::literal_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Literal, PrintsTheShortestTextThatReadsBack) {
  EXPECT_EQ(to_string(Literal(true)), "true");
  EXPECT_EQ(to_string(Literal(int64_t{-3})), "-3");
  EXPECT_EQ(to_string(Literal(UINT64_MAX)), "18446744073709551615");
  EXPECT_EQ(to_string(Literal(2.0)), "2.0");
  EXPECT_EQ(to_string(Literal(-0.0)), "-0.0");
  EXPECT_EQ(to_string(Literal(0.1)), "0.1");
  EXPECT_EQ(to_string(Literal(1e-5)), "1e-05");
  EXPECT_EQ(to_string(Literal(1e300)), "1e+300");
  EXPECT_EQ(to_string(Literal(kInfinity)), "inf");
  EXPECT_EQ(to_string(Literal(-kInfinity)), "-inf");
  EXPECT_EQ(to_string(Literal(std::nan(""))), "nan");
  EXPECT_EQ(to_string(Literal(-std::nan(""))), "nan");
}

TEST(Literal, PrintsComplexNumbersAsPythonDoes) {
  using Complex = std::complex<double>;
  EXPECT_EQ(to_string(Literal(Complex(1, 2))), "(1+2j)");
  EXPECT_EQ(to_string(Literal(Complex(0.5, -2))), "(0.5-2j)");
  EXPECT_EQ(to_string(Literal(Complex(0, std::nan("")))), "(0+nanj)");
}

TEST(Literal, ConvertsToElements) {
  EXPECT_EQ(literal_as<float>(Literal(int64_t{3})), 3.0F);
  EXPECT_EQ(literal_as<double>(Literal(true)), 1.0);
  EXPECT_EQ(literal_as<int8_t>(Literal(int64_t{-5})), -5);
  EXPECT_EQ(literal_as<std::complex<float>>(Literal(0.5)), std::complex<float>(0.5F, 0));
  EXPECT_EQ(literal_as<std::complex<float>>(Literal(std::complex<double>(1, 2))),
            std::complex<float>(1, 2));
  EXPECT_EQ(literal_as<std::complex<double>>(Literal(UINT64_MAX)).real(), 18446744073709551616.0);
  EXPECT_FALSE(literal_as<bool>(Literal(0.0)));
  EXPECT_TRUE(literal_as<bool>(Literal(0.5)));
}

}  // namespace
}  // namespace tessera::literal_test
