#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/block_function.h"

/// The bounds that functions of f32 state, and what they make of the ends.
namespace tessera::kernels::float_accuracy_test {
namespace {

using Block = std::array<float, kBlock>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<Isa> all_isas() {
  std::vector<Isa> isas = {Isa::scalar, Isa::avx2, Isa::avx512};
  std::erase_if(isas, [](Isa isa) { return isa > widest_isa(); });
  return isas;
}

template <class... Arguments>
Block applied(const char* name, Isa isa, const Arguments&... arguments) {
  const BlockFunction function = find_block_function(
      name, {std::vector<DType>(sizeof...(Arguments), DType::f32), DType::f32}, isa);
  const std::array<const void*, sizeof...(Arguments)> addresses = {arguments.data()...};
  Block result;
  EXPECT_EQ(function(addresses.data(), result.data(), kBlock), Status::ok);
  return result;
}

/// In units in the last place of what is wanted, a finite number.
double distance(float got, long double wanted) {
  int exponent = 0;
  std::frexp(
      std::max(std::fabs(wanted), static_cast<long double>(std::numeric_limits<float>::min())),
      &exponent);
  return static_cast<double>(std::fabs(got - wanted) / std::ldexp(1.0L, exponent - 24));
}

bool is_end(float value) {
  return value == 0 || !std::isfinite(value);
}

/// Exactly where that is an end of the floats, else within `most` units in the last place.
void expect_near(float got, long double wanted, double most, const char* what) {
  const auto rounded = static_cast<float>(wanted);
  if (is_end(rounded) || is_end(got)) {
    EXPECT_TRUE((std::isnan(got) && std::isnan(rounded)) ||
                std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(rounded))
        << what << " gives " << got << ", not " << rounded;
  } else {
    EXPECT_LE(distance(got, wanted), most) << what << " gives " << got << ", not " << rounded;
  }
}

/// Floats of all sizes, with a share of whole numbers and of the ends.
float any_float(std::mt19937& random) {
  static constexpr std::array kEnds = {0.0F,  -0.0F,  1.0F,   -1.0F,   kInfinity, -kInfinity,
                                       kNan,  0.5F,   -0.5F,  1e-45F,  -1e-40F,   3.4e38F,
                                       87.0F, 88.73F, -87.4F, -103.9F, -104.0F};
  switch (random() % 4) {
    case 0:
      return kEnds[random() % kEnds.size()];
    case 1:
      return static_cast<float>(static_cast<int>(random() % 41) - 20);
    case 2:
      return std::uniform_real_distribution<float>(-150, 150)(random);
    default: {
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
      return std::isnan(value) ? kNan : value;  // a quiet one
    }
  }
}

Block drawn_block(std::mt19937& random) {
  Block block;
  std::generate(block.begin(), block.end(), [&] { return any_float(random); });
  return block;
}

TEST(FloatAccuracy, ExponentialsAreWithinTheStatedBound) {
  std::mt19937 random(11);
  for (int turn = 0; turn < 20; ++turn) {
    const Block x = drawn_block(random);
    for (const Isa isa : all_isas()) {
      const Block result = applied("exp", isa, x);
      for (size_t e = 0; e < x.size(); ++e) {
        expect_near(result[e], std::exp(static_cast<long double>(x[e])), 1.02, "exp");
      }
    }
  }
}

TEST(FloatAccuracy, PowersAreWithinTheStatedBound) {
  std::mt19937 random(12);
  for (int turn = 0; turn < 40; ++turn) {
    const Block x = drawn_block(random);
    const Block y = drawn_block(random);
    for (const Isa isa : all_isas()) {
      const Block result = applied("power", isa, x, y);
      for (size_t e = 0; e < x.size(); ++e) {
        const bool is_product = y[e] == 3;  // rounded twice
        const long double wanted =
            std::pow(static_cast<long double>(x[e]), static_cast<long double>(y[e]));
        expect_near(result[e], wanted,
                    is_product           ? 1.5
                    : isa == Isa::scalar ? 0.54
                                         : 0.51,
                    "power");
      }
    }
  }
}

/// Numbers of a float type up to the largest that sines reduce by themselves: a third near
/// multiples of pi / 2, where sine or cosine is next to nothing.
template <class T>
std::array<T, kBlock> drawn_angles(std::mt19937& random) {
  constexpr long double kHalfPi = 1.57079632679489661923132169163975144L;
  const double largest = sizeof(T) == sizeof(float) ? 0x1p16 : 0x1p30;
  std::uniform_real_distribution<double> size(0, std::log2(largest) - 1);
  std::array<T, kBlock> x;
  std::generate(x.begin(), x.end(), [&] {
    const double near = std::exp2(size(random));
    const auto quarters = std::floor(static_cast<long double>(near));
    const T angle = static_cast<T>(random() % 3 == 0 ? quarters * kHalfPi : near);
    return random() % 2 == 0 ? angle : -angle;
  });
  return x;
}

template <class T>
void expect_accurate_sines(double largest_error_of_tangents) {
  using Sine = long double (*)(long double);
  const DType dtype = sizeof(T) == sizeof(float) ? DType::f32 : DType::f64;
  std::mt19937 random(16);
  for (int turn = 0; turn < 20; ++turn) {
    const std::array<T, kBlock> x = drawn_angles<T>(random);
    const std::array<const void*, 1> address = {x.data()};
    for (const Isa isa : all_isas()) {
      for (const auto& [name, exact] :
           {std::pair<const char*, Sine>{"sin", std::sin}, {"cos", std::cos}, {"tan", std::tan}}) {
        std::array<T, kBlock> result;
        const BlockFunction function = find_block_function(name, {{dtype}, dtype}, isa);
        ASSERT_EQ(function(address.data(), result.data(), kBlock), Status::ok);
        const double most = name == std::string_view("tan") ? largest_error_of_tangents : 1.5;
        for (size_t e = 0; e < x.size(); ++e) {
          const long double wanted = exact(static_cast<long double>(x[e]));
          int exponent = 0;
          std::frexp(wanted, &exponent);
          const auto place = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
          EXPECT_LE(std::fabs(result[e] - wanted), most * place) << name << " of " << x[e];
        }
      }
    }
  }
}

TEST(FloatAccuracy, SinesNearMultiplesOfHalfPiAreWithinTheStatedBound) {
  expect_accurate_sines<float>(3.1);
  expect_accurate_sines<double>(3.1);
}

/// A block of powers by halves / 2, which is a constant.
template <class T>
std::array<T, kBlock> half_powers_of(const std::array<T, kBlock>& x, int halves, Isa isa) {
  const double exponent = 0.5 * halves;
  const DType dtype = sizeof(T) == sizeof(float) ? DType::f32 : DType::f64;
  std::array<T, kBlock> y;
  y.fill(static_cast<T>(exponent));
  const std::array<const void*, 2> addresses = {x.data(), y.data()};
  std::array<T, kBlock> result;
  EXPECT_EQ(find_half_power(dtype, exponent, isa)(addresses.data(), result.data(), kBlock),
            Status::ok);
  return result;
}

bool has_half_powers(Isa isa) {
  return isa != Isa::scalar;
}

/// Halves from -32 to 32 that have a function.
std::vector<int> all_halves() {
  std::vector<int> halves;
  for (int number = -32; number <= 32; ++number) {
    if (number != 0 && number != 4 && number != 6) {
      halves.push_back(number);
    }
  }
  return halves;
}

TEST(FloatAccuracy, PowersByHalvesAreWithinTheStatedBound) {
  std::mt19937 random(14);
  for (const Isa isa : all_isas()) {
    for (const int halves : has_half_powers(isa) ? all_halves() : std::vector<int>()) {
      const double reach = std::min(90.0, 180.0 / std::abs(halves));
      std::uniform_real_distribution<float> near(0.5F, 2.0F);
      for (int turn = 0; turn < 4; ++turn) {
        Block x = drawn_block(random);
        std::generate_n(x.begin(), kBlock / 2, [&] { return near(random); });
        const Block result = half_powers_of(x, halves, isa);
        for (size_t e = 0; e < x.size(); ++e) {
          const long double wanted = std::pow(static_cast<long double>(x[e]), 0.5L * halves);
          const bool is_usual = std::fabs(std::log2(std::fabs(x[e]))) < reach;
          expect_near(result[e], wanted, is_usual ? 0.503 : 0.51, "power by halves");
        }
      }
    }
  }
}

TEST(FloatAccuracy, PowersByHalvesOfDoublesAreWithinTheStatedBound) {
  using Doubles = std::array<double, kBlock>;
  std::mt19937 random(15);
  std::uniform_real_distribution<double> exponent(-28, 28);
  for (const Isa isa : all_isas()) {
    for (const int halves : has_half_powers(isa) ? all_halves() : std::vector<int>()) {
      Doubles x;
      std::generate(x.begin(), x.end(), [&] { return std::exp2(exponent(random)); });
      const std::array ends = {0.0,
                               -0.0,
                               static_cast<double>(kInfinity),
                               -static_cast<double>(kInfinity),
                               static_cast<double>(kNan),
                               -3.0,
                               -1.0,
                               1e-310,
                               1e300,
                               1e-300,
                               -1e200,
                               4.0};
      std::copy(ends.begin(), ends.end(), x.begin());
      const Doubles result = half_powers_of(x, halves, isa);
      for (size_t e = 0; e < x.size(); ++e) {
        const long double wanted = std::pow(static_cast<long double>(x[e]), 0.5L * halves);
        const auto rounded = static_cast<double>(wanted);
        if (std::isnan(rounded)) {
          EXPECT_TRUE(std::isnan(result[e])) << x[e] << " by " << halves << " halves";
        } else if (rounded == 0 || std::isinf(rounded)) {
          EXPECT_EQ(std::bit_cast<uint64_t>(result[e]), std::bit_cast<uint64_t>(rounded))
              << x[e] << " by " << halves << " halves";
        } else {
          const long double unit = std::ldexp(1.0L, std::max(std::ilogb(rounded), -1022) - 52);
          EXPECT_LE(static_cast<double>(std::fabs(result[e] - wanted) / unit), 0.505)
              << x[e] << " by " << halves << " halves";
        }
      }
    }
  }
}

TEST(FloatAccuracy, APowerByHalvesIsOfExponentsThatAreNoProducts) {
  for (const Isa isa : all_isas()) {
    for (const Literal exponent : {Literal(2.0), Literal(int64_t{3}), Literal(int64_t{0}),
                                   Literal(2.25), Literal(16.5), Literal(1e300)}) {
      EXPECT_EQ(find_half_power(DType::f64, exponent, isa), nullptr);
    }
    EXPECT_EQ(find_half_power(DType::i32, Literal(int64_t{5}), isa), nullptr);
    EXPECT_EQ(find_half_power(DType::f32, Literal(2.5), isa) != nullptr, has_half_powers(isa));
  }
}

std::array<uint32_t, kBlock> bits_of(const Block& block) {
  return std::bit_cast<std::array<uint32_t, kBlock>>(block);
}

TEST(FloatAccuracy, VectorsOfAnySizeHaveTheSameBits) {
  std::mt19937 random(13);
  const Block x = drawn_block(random);
  const Block y = drawn_block(random);
  for (const Isa isa : all_isas()) {
    if (isa != Isa::scalar) {  // that is the C++ library's
      EXPECT_EQ(bits_of(applied("power", isa, x, y)), bits_of(applied("power", Isa::avx2, x, y)));
      EXPECT_EQ(bits_of(applied("exp", isa, x)), bits_of(applied("exp", Isa::avx2, x)));
      EXPECT_EQ(bits_of(half_powers_of(x, 5, isa)), bits_of(half_powers_of(x, 5, Isa::avx2)));
      EXPECT_EQ(bits_of(half_powers_of(x, -3, isa)), bits_of(half_powers_of(x, -3, Isa::avx2)));
    }
  }
}

TEST(FloatAccuracy, APowerMayBeWrittenOverItsArguments) {
  for (const Isa isa : all_isas()) {
    Block x;
    Block y;
    x.fill(-2.0F);
    y.fill(5.0F);
    y[70] = 0.5F;
    const std::array<const void*, 2> arguments = {x.data(), y.data()};
    const BlockFunction power =
        find_block_function("power", {{DType::f32, DType::f32}, DType::f32}, isa);
    EXPECT_EQ(power(arguments.data(), y.data(), kBlock), Status::ok);
    EXPECT_EQ(y[0], -32.0F);
    EXPECT_TRUE(std::isnan(y[70]));
    EXPECT_EQ(y[kBlock - 1], -32.0F);
  }
}

}  // namespace
}  // namespace tessera::kernels::float_accuracy_test
