#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/choice.h"
#include "kernels/cpu/gemm/bf16_parts.h"
#include "unit/kernels/summed_product.h"

/// The kernels of products in bf16: what they take, the bounds that precision.h states, on hostile
/// numbers, and that what is not finite or would not keep a bound is as f32 has it. They run here
/// whatever the processor multiplies bf16 with, as oneDNN emulates it on AVX-512, and by the tiles
/// of AMX where it has them.
namespace tessera::kernels::gemm_bf16_kernel_test {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kM = 33;
constexpr int64_t kN = 47;
constexpr int64_t kK = 500;
constexpr Precision kPrecisions[] = {Precision::bf16x6, Precision::bf16x3, Precision::bf16};

std::string kernel_of(Precision precision) {
  return precision == Precision::f32 ? "gemm" : "gemm_" + std::string(name_of(precision));
}

/// What multiplies parts on this machine: oneDNN, and the unit.
std::vector<Bf16Unit> units_here() {
  std::vector<Bf16Unit> units;
  if (known().machine.isa >= Isa::avx512) {
    units.push_back(Bf16Unit::none);
  }
  if (known().machine.bf16 == Bf16Unit::amx) {
    units.push_back(Bf16Unit::amx);
  }
  return units;
}

Machine machine_with(Bf16Unit unit) {
  Machine machine = known().machine;
  machine.bf16 = unit;
  return machine;
}

Context context_with(const Machine& machine, Precision precision) {
  return {known().functions, known().aggregates, all_kernels(), machine, {}, precision};
}

/// Two matrices and their product in some precision.
struct Matrices {
  int64_t depth;
  TestTile a{DType::f32, whole({kM, depth})};
  TestTile b{DType::f32, whole({depth, kN})};

  using Draw = std::function<float(std::mt19937_64&)>;
  explicit Matrices(const Draw& draw, int64_t k = kK) : depth(k) {
    std::mt19937_64 random(3);
    for (const TestTile* const tile : {&a, &b}) {
      std::generate_n(tile->view().as<float>(), tile->count(), [&] { return draw(random); });
    }
  }

  Outcome product(Precision precision, Bf16Unit unit) const {
    const Product program({{'m', kM}, {'n', kN}, {'k', depth}}, "mk", "kn", "mn");
    return run_kernel(*all_kernels().find(kernel_of(precision)), program.program, program.shape,
                      {a.view(), b.view()}, context_with(machine_with(unit), precision));
  }

  /// Over all elements, the largest error of a result, in units of 2^-24 of the sum of |a||b|.
  double error_of(Precision precision, Bf16Unit unit) const {
    const Outcome outcome = product(precision, unit);
    double most = 0;
    for (int64_t m = 0; m < kM; ++m) {
      for (int64_t n = 0; n < kN; ++n) {
        long double sum = 0;
        long double magnitude = 0;
        for (int64_t k = 0; k < depth; ++k) {
          const long double term = static_cast<long double>(a.view().as<float>()[m * depth + k]) *
                                   b.view().as<float>()[k * kN + n];
          sum += term;
          magnitude += std::fabs(term);
        }
        const float got = outcome.outputs[0].view().as<float>()[m * kN + n];
        most = std::max(most, static_cast<double>(std::fabs(got - sum) / magnitude * 0x1p24L));
      }
    }
    return most;
  }
};

float uniform(std::mt19937_64& random) {
  return std::uniform_real_distribution<float>(-1, 1)(random);
}

Matrices::Draw log_uniform(float most_exponent) {
  return [most_exponent](std::mt19937_64& random) {
    const float exponent =
        std::uniform_real_distribution<float>(-most_exponent, most_exponent)(random);
    return std::exp2(exponent) * (random() % 2 == 0 ? 1.0F : -1.0F);
  };
}

/// The second half of every sum takes away nearly all of the first.
Matrices cancelling(int64_t depth = kK) {
  Matrices matrices(&uniform, depth);
  std::mt19937_64 random(5);
  float* const a = matrices.a.view().as<float>();
  float* const b = matrices.b.view().as<float>();
  for (int64_t m = 0; m < kM; ++m) {
    for (int64_t k = 0; k < depth / 2; ++k) {
      a[m * depth + depth / 2 + k] = -a[m * depth + k] * (1 + 0x1p-18F * uniform(random));
    }
  }
  std::copy_n(b, depth / 2 * kN, b + depth / 2 * kN);
  return matrices;
}

bool is_here() {
  return known().machine.isa >= Isa::avx512;
}

/// What precision.h states beside the error of a sum in f32, in units of 2^-24.
double bound_of(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return 0;
    case Precision::bf16x6:
      return 1;
    case Precision::bf16x3:
      return 0x1p9;
    case Precision::bf16:
      return 0x1p17;
  }
  return 0;
}

TEST(GemmBf16, KeepsItsBoundsOnHostileNumbers) {
  if (!is_here()) {
    GTEST_SKIP() << "no AVX-512";
  }
  for (const Matrices& matrices :
       {Matrices(&uniform), Matrices(log_uniform(30)), Matrices(log_uniform(60)), cancelling()}) {
    for (const Bf16Unit unit : units_here()) {
      const double of_f32 = matrices.error_of(Precision::f32, unit);
      for (const Precision precision : kPrecisions) {
        const double error = matrices.error_of(precision, unit);
        EXPECT_LE(error, kK + bound_of(precision)) << name_of(precision);
        EXPECT_LE(error, 2 * of_f32 + (precision == Precision::bf16x6 ? 0 : bound_of(precision)))
            << name_of(precision);
      }
    }
  }
}

/// Of many blocks of k: in one chain, six products for one round six times as often as f32 does.
TEST(GemmBf16, LongSumsInTilesRoundNoMoreThanThoseOfF32) {
  if (known().machine.bf16 != Bf16Unit::amx) {
    GTEST_SKIP() << "no AMX";
  }
  constexpr int64_t kLong = 4096;
  for (const Matrices& matrices :
       {Matrices(&uniform, kLong), Matrices(log_uniform(30), kLong), cancelling(kLong)}) {
    EXPECT_LE(matrices.error_of(Precision::bf16x6, Bf16Unit::amx),
              matrices.error_of(Precision::f32, Bf16Unit::amx));
  }
}

TEST(GemmBf16, MultipliesPartsWhereItMay) {
  if (!is_here()) {
    GTEST_SKIP() << "no AVX-512";
  }
  for (const Matrices& matrices : {Matrices(&uniform), Matrices(log_uniform(30)), cancelling()}) {
    for (const Bf16Unit unit : units_here()) {
      const Outcome in_f32 = matrices.product(Precision::f32, unit);
      for (const Precision precision : kPrecisions) {
        const Outcome outcome = matrices.product(precision, unit);
        EXPECT_NE(first_difference(outcome.outputs[0], in_f32.outputs[0]), -1)
            << name_of(precision);
      }
    }
  }
}

/// One number in a matrix of others, in either operand.
void expect_as_f32(float value, const char* what) {
  for (const bool is_in_a : {true, false}) {
    Matrices matrices(&uniform);
    (is_in_a ? matrices.a : matrices.b).view().as<float>()[7 * (is_in_a ? kK : kN) + 5] = value;
    for (const Bf16Unit unit : units_here()) {
      const Outcome in_f32 = matrices.product(Precision::f32, unit);
      for (const Precision precision : kPrecisions) {
        const Outcome outcome = matrices.product(precision, unit);
        EXPECT_EQ(first_difference(outcome.outputs[0], in_f32.outputs[0]), -1)
            << what << " " << name_of(precision);
      }
    }
  }
}

TEST(GemmBf16, IsAsF32WhereANumberIsNotFinite) {
  if (!is_here()) {
    GTEST_SKIP() << "no AVX-512";
  }
  expect_as_f32(kNan, "NaN");
  expect_as_f32(kInfinity, "an infinity");
  expect_as_f32(-kInfinity, "a negative infinity");
}

TEST(GemmBf16, IsAsF32WherePartsWouldNotDo) {
  if (!is_here()) {
    GTEST_SKIP() << "no AVX-512";
  }
  expect_as_f32(std::numeric_limits<float>::denorm_min(), "the smallest denormal");
  expect_as_f32(0x1.8p-126F, "a product that is denormal");
  expect_as_f32(0x1.8p-103F, "a part that is denormal");
  expect_as_f32(std::numeric_limits<float>::max(), "what rounds to an infinity");
  expect_as_f32(0x1p126F, "sums that may overflow");
}

/// Of whole numbers that bf16 has, on sides that fill tiles and some that do not, onto what is
/// there and not.
void expect_exact(int64_t m, int64_t n, int64_t k, Bf16Unit unit, bool accumulate) {
  Product product({{'m', m}, {'n', n}, {'k', k}}, "mk", "kn", "mn");
  product.shape.accumulate = accumulate;
  std::mt19937_64 random(9);
  TestTile a(DType::f32, whole({m, k}));
  TestTile b(DType::f32, whole({k, n}));
  a.fill(random);
  b.fill(random);
  const auto outcome = [&](Precision precision) {
    return run_kernel(*all_kernels().find(kernel_of(precision)), product.program, product.shape,
                      {a.view(), b.view()}, context_with(machine_with(unit), precision));
  };
  const Outcome in_f32 = outcome(Precision::f32);
  for (const Precision precision : kPrecisions) {
    EXPECT_EQ(first_difference(outcome(precision).outputs[0], in_f32.outputs[0]), -1)
        << m << " " << n << " " << k << " " << name_of(precision);
  }
}

TEST(GemmBf16, IsExactOfWholeNumbersInAnySize) {
  const std::vector<std::array<int64_t, 3>> sizes = {{16, 16, 32},    {17, 31, 33},  {32, 48, 600},
                                                     {300, 70, 1100}, {2, 1000, 64}, {513, 33, 31}};
  for (const Bf16Unit unit : units_here()) {
    for (const auto& [m, n, k] : sizes) {
      expect_exact(m, n, k, unit, false);
      expect_exact(m, n, k, unit, true);
    }
  }
}

TEST(GemmBf16, IsOfItsPrecision) {
  const Product product({{'m', 40}, {'n', 50}, {'k', 60}}, "mk", "kn", "mn");
  EXPECT_EQ(product.refusal("gemm_bf16x6"),
            "products are asked for in the precision f32, not bf16x6");
  Machine narrow = known().machine;
  narrow.isa = Isa::avx2;
  EXPECT_EQ(product.refusal("gemm_bf16", context_with(narrow, Precision::bf16)),
            "it needs AVX-512");
}

TEST(GemmBf16, SaysWhatItLeavesToOthers) {
  Machine machine = known().machine;
  machine.isa = Isa::avx512;
  const auto refusal = [&](const Product& product) {
    return product.refusal("gemm_bf16", context_with(machine, Precision::bf16));
  };
  EXPECT_EQ(refusal({{{'m', 40}, {'n', 50}, {'k', 60}}, "mk", "kn", "mn", DType::f64}),
            "a factor is f64, not f32");
  EXPECT_EQ(refusal({{{'m', 40}, {'n', 0}, {'k', 60}}, "mk", "kn", "mn"}), "a label is empty");
  EXPECT_EQ(refusal({{{'m', 400}, {'n', 1}, {'k', 600}}, "mk", "kn", "mn"}),
            "an operand is a vector");
  EXPECT_EQ(refusal({{{'m', 16}, {'n', 16}, {'k', 16}}, "mk", "kn", "mn"}),
            "at most 4096 products do not pay for entering the library");
}

TEST(GemmBf16, IsChosenWhereTheMachineMakesItPay) {
  if (!is_here()) {
    GTEST_SKIP() << "no AVX-512";
  }
  const Product product({{'m', 1000}, {'n', 1000}, {'k', 1000}}, "mk", "kn", "mn");
  const auto chosen = [&](Bf16Unit unit, Precision precision) {
    return choose(product.program, product.shape, context_with(machine_with(unit), precision))
        .kernel->name;
  };
  for (const Precision precision : kPrecisions) {
    EXPECT_EQ(chosen(Bf16Unit::amx, precision), kernel_of(precision));
    EXPECT_EQ(chosen(Bf16Unit::none, precision), "gemm");
  }
  EXPECT_EQ(chosen(Bf16Unit::avx512, Precision::bf16), "gemm_bf16");
  EXPECT_EQ(chosen(Bf16Unit::avx512, Precision::bf16x6), "gemm");
  EXPECT_EQ(chosen(Bf16Unit::amx, Precision::f32), "gemm");
}

TEST(Precision, SaysWhyItIsOfF32) {
  Machine machine;
  EXPECT_EQ(why_f32(Precision::f32, machine), std::nullopt);
  EXPECT_EQ(why_f32(Precision::bf16x6, machine), "this machine has no AMX");
  EXPECT_EQ(why_f32(Precision::bf16, machine),
            "this machine has neither AMX nor AVX-512 with bf16");
  machine.bf16 = Bf16Unit::avx512;
  EXPECT_EQ(why_f32(Precision::bf16, machine), std::nullopt);
  EXPECT_EQ(why_f32(Precision::bf16x3, machine), "this machine has no AMX");
  machine.bf16 = Bf16Unit::amx;
  EXPECT_EQ(why_f32(Precision::bf16x6, machine), std::nullopt);
}

TEST(Bf16Parts, AddUpToTheNumber) {
  if (!is_here()) {
    GTEST_SKIP() << "no AVX-512";
  }
  std::mt19937_64 random(1);
  std::vector<float> numbers(1003);
  std::generate(numbers.begin(), numbers.end(), [&] { return log_uniform(100)(random); });
  numbers[17] = 0;
  const auto count = static_cast<int64_t>(numbers.size());
  std::vector<uint16_t> parts(numbers.size() * kMostParts);
  const Magnitudes magnitudes =
      split_in_parts(numbers.data(), 1, count, count, {kMostParts, 0, 0, count}, parts.data());
  float largest = 0;
  float smallest = kInfinity;
  for (size_t number = 0; number < numbers.size(); ++number) {
    double sum = 0;
    for (size_t part = 0; part < kMostParts; ++part) {
      const float value = float_from_bf16_bits(parts[part * numbers.size() + number]);
      sum += static_cast<double>(value);
      EXPECT_TRUE(value == 0 || std::fabs(value) >= std::numeric_limits<float>::min());
    }
    EXPECT_EQ(sum, numbers[number]);
    largest = std::max(largest, std::fabs(numbers[number]));
    smallest = numbers[number] == 0 ? smallest : std::min(smallest, std::fabs(numbers[number]));
  }
  EXPECT_EQ(std::bit_cast<float>(magnitudes.largest), largest);
  EXPECT_EQ(std::bit_cast<float>(magnitudes.smallest), smallest);
}

TEST(Bf16Parts, OfZerosHaveNoSmallestNumber) {
  if (!is_here()) {
    GTEST_SKIP() << "no AVX-512";
  }
  const std::vector<float> zeros(5, -0.0F);
  std::vector<uint16_t> parts(zeros.size());
  const Magnitudes magnitudes = split_in_parts(zeros.data(), 1, 5, 5, {1, 0, 0, 0}, parts.data());
  EXPECT_EQ(magnitudes.largest, 0U);
  EXPECT_EQ(magnitudes.smallest, ~uint32_t{0});
  EXPECT_TRUE(are_safe(magnitudes, magnitudes, 1000));
}

}  // namespace

}  // namespace tessera::kernels::gemm_bf16_kernel_test
