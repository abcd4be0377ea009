#include "types/half.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace tessera::half_test {
namespace {

TEST(Half, RoundTripsEveryF16) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = float_from_f16_bits(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_f16_bits(f16_bits_from_float(value))));
    } else {
      ASSERT_EQ(f16_bits_from_float(value), half);
    }
  }
}

TEST(Half, RoundTripsEveryBf16) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = float_from_bf16_bits(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_bf16_bits(bf16_bits_from_float(value))));
    } else {
      ASSERT_EQ(bf16_bits_from_float(value), half);
    }
  }
}

/// The value of f16 bits from the definition.
double f16_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, HasTheValueOfItsDefinition) {
  for (uint16_t bits = 0; bits < 0x7C00; ++bits) {
    ASSERT_EQ(double{float_from_f16_bits(bits)}, f16_value(bits));
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (uint16_t bits = 0; bits + 1 < 0x7C00; ++bits) {
    const auto next = static_cast<uint16_t>(bits + 1);
    const auto middle = static_cast<float>((f16_value(bits) + f16_value(next)) / 2);
    ASSERT_EQ(f16_bits_from_float(middle), bits % 2 == 0 ? bits : next) << bits;
    ASSERT_EQ(f16_bits_from_float(std::nextafter(middle, 0.0F)), bits);
    ASSERT_EQ(f16_bits_from_float(std::nextafter(middle, 1e9F)), next);
    ASSERT_EQ(f16_bits_from_float(-middle), 0x8000 | (bits % 2 == 0 ? bits : next));
  }
}

TEST(Half, OverflowsToInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(f16_bits_from_float(65504.0F), 0x7BFF);
  EXPECT_EQ(f16_bits_from_float(65519.996F), 0x7BFF);
  EXPECT_EQ(f16_bits_from_float(65520.0F), 0x7C00);
  EXPECT_EQ(f16_bits_from_float(-infinity), 0xFC00);
  EXPECT_EQ(bf16_bits_from_float(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(bf16_bits_from_float(infinity), 0x7F80);
}

TEST(Half, KeepsNaNsAsNaNs) {
  // The payload is all in the bits that are cut off.
  const float nan = std::bit_cast<float>(0x7F800001U);
  EXPECT_TRUE(std::isnan(float_from_f16_bits(f16_bits_from_float(nan))));
  EXPECT_TRUE(std::isnan(float_from_bf16_bits(bf16_bits_from_float(nan))));
  const float largest = std::bit_cast<float>(0x7FFFFFFFU);
  EXPECT_TRUE(std::isnan(float_from_bf16_bits(bf16_bits_from_float(largest))));
}

TEST(Half, RoundsBf16TiesToEven) {
  EXPECT_EQ(bf16_bits_from_float(std::bit_cast<float>(0x3F808000U)), 0x3F80);
  EXPECT_EQ(bf16_bits_from_float(std::bit_cast<float>(0x3F818000U)), 0x3F82);
  EXPECT_EQ(bf16_bits_from_float(std::bit_cast<float>(0x3F808001U)), 0x3F81);
}

}  // namespace
}  // namespace tessera::half_test
