#include <algorithm>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/choice.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// What the drawn programs of every_kernel_test do not reach: numbers that are not finite, several
/// blocks, masks that are data, computed factors, and what is refused.
namespace tessera::kernels::masked_product_kernel_test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// out[i, j] = sum over k of where(condition, a[i, k] * b[k, j], 0), its parts to be changed.
struct Masked {
  Masked(int64_t m, int64_t n, int64_t k, DType type = DType::f32) : dtype(type) {
    program.labels = {{"i", m}, {"j", n}, {"k", k}};
    program.num_inputs = 2;
    shape.ranges = {{0, m}, {0, n}, {0, k}};
    a = access(0, {kI, kK}, dtype);
    b = access(1, {kK, kJ}, dtype);
    condition = call("less_equal", {builder.index_of(kK), builder.index_of(kI)}, DType::b1);
  }

  int32_t access(int32_t operand, const std::vector<expr::LabelNumber>& labels, DType type) {
    expr::Access access{operand, {}};
    for (const expr::LabelNumber label : labels) {
      access.index.push_back(expr::plain(label));
    }
    return builder.access(std::move(access), type);
  }
  int32_t call(const char* name, std::vector<int32_t> arguments, DType type) {
    return builder.call(name, std::move(arguments), type);
  }

  /// With what the condition leaves out.
  expr::TileProgram finished(double left_out = 0) {
    const int32_t product = call("multiply", {a, b}, dtype);
    const int32_t zero = builder.constant(left_out, dtype);
    expr::TileStatement statement;
    statement.out = {kI, kJ};
    statement.bodies = {builder.finish(call("where", {condition, product, zero}, dtype))};
    statement.what = expr::Reduce{expr::all_aggregates().find("sum")->bind(dtype).monoid, {kK}};
    expr::TileProgram whole = program;
    whole.statements = {std::move(statement)};
    return whole;
  }

  static constexpr expr::LabelNumber kI = 0;
  static constexpr expr::LabelNumber kJ = 1;
  static constexpr expr::LabelNumber kK = 2;

  DType dtype;
  expr::TileProgram program;
  CallShape shape;
  expr::ScalarBuilder builder;
  int32_t a = 0;
  int32_t b = 0;
  int32_t condition = 0;
};

const Kernel& masked_product() {
  return *all_kernels().find("masked_product");
}

TestTile drawn_tile(DType dtype, const Shape& extents, uint64_t seed) {
  TestTile tile(dtype, whole(extents));
  std::mt19937_64 random(seed);
  tile.fill(random);
  return tile;
}

void expect_as_reference(const expr::TileProgram& program, const CallShape& shape,
                         const std::vector<TileView>& inputs) {
  ASSERT_EQ(refusal(masked_product(), program, shape), "");
  const Outcome expected = run_kernel(*all_kernels().find("reference"), program, shape, inputs);
  const Outcome outcome = run_kernel(masked_product(), program, shape, inputs);
  EXPECT_EQ(outcome.status, expected.status);
  EXPECT_EQ(first_difference(outcome.outputs[0], expected.outputs[0]), -1);
}

TEST(MaskedProductKernel, AgreesInSeveralBlocks) {
  for (const DType dtype : {DType::f32, DType::f64, DType::c64}) {
    for (const bool accumulate : {false, true}) {
      Masked masked(270, 6, 520, dtype);
      masked.shape.accumulate = accumulate;
      const TestTile a = drawn_tile(dtype, {270, 520}, 1);
      const TestTile b = drawn_tile(dtype, {520, 6}, 2);
      expect_as_reference(masked.finished(), masked.shape, {a.view(), b.view()});
    }
  }
}

/// The label that the result has first belongs to the factor that is not masked.
TEST(MaskedProductKernel, MasksTheSecondFactor) {
  Masked masked(20, 300, 270);
  masked.condition = masked.call(
      "less", {masked.builder.index_of(Masked::kJ), masked.builder.index_of(Masked::kK)},
      DType::b1);
  const TestTile a = drawn_tile(DType::f32, {20, 270}, 1);
  const TestTile b = drawn_tile(DType::f32, {270, 300}, 2);
  expect_as_reference(masked.finished(), masked.shape, {a.view(), b.view()});
}

TEST(MaskedProductKernel, TakesAMaskThatIsData) {
  Masked masked(40, 30, 50);
  masked.program.num_inputs = 3;
  masked.condition = masked.access(2, {Masked::kI, Masked::kK}, DType::b1);
  const TestTile a = drawn_tile(DType::f32, {40, 50}, 1);
  const TestTile b = drawn_tile(DType::f32, {50, 30}, 2);
  const TestTile mask = drawn_tile(DType::b1, {40, 50}, 3);
  expect_as_reference(masked.finished(), masked.shape, {a.view(), b.view(), mask.view()});
}

TEST(MaskedProductKernel, TakesAComputedFactor) {
  Masked masked(40, 30, 50);
  masked.a = masked.call("abs", {masked.a}, DType::f32);
  const TestTile a = drawn_tile(DType::f32, {40, 50}, 1);
  const TestTile b = drawn_tile(DType::f32, {50, 30}, 2);
  expect_as_reference(masked.finished(), masked.shape, {a.view(), b.view()});
}

TEST(MaskedProductKernel, LeavesOutNumbersThatAreNotFinite) {
  for (const double hostile : {kNan, kInfinity, -kInfinity}) {
    for (const bool is_in_a : {true, false}) {
      // Left out of every sum, of some, and of none.
      for (const int64_t depth : {269, 140, 0}) {
        Masked masked(260, 5, 270);
        const TestTile a = drawn_tile(DType::f32, {260, 270}, 1);
        const TestTile b = drawn_tile(DType::f32, {270, 5}, 2);
        const int64_t place = is_in_a ? 250 * 270 + depth : depth * 5 + 3;
        (is_in_a ? a : b).view().as<float>()[place] = static_cast<float>(hostile);
        expect_as_reference(masked.finished(), masked.shape, {a.view(), b.view()});
      }
    }
  }
}

/// Of complex numbers, each part may be the one.
TEST(MaskedProductKernel, LeavesOutComplexNumbersThatAreNotFinite) {
  for (const std::complex<double> hostile :
       {std::complex<double>(0, kInfinity), std::complex<double>(kNan, 0)}) {
    Masked masked(20, 10, 30, DType::c128);
    const TestTile a = drawn_tile(DType::c128, {20, 30}, 1);
    const TestTile b = drawn_tile(DType::c128, {30, 10}, 2);
    b.view().as<std::complex<double>>()[25 * 10 + 3] = hostile;
    const expr::TileProgram program = masked.finished();
    const Outcome outcome =
        run_kernel(masked_product(), program, masked.shape, {a.view(), b.view()});
    const auto* const result = outcome.outputs[0].view().as<std::complex<double>>();
    EXPECT_TRUE(std::all_of(result, result + 20 * 10, [](const std::complex<double>& number) {
      return number == number;  // row 19 ends before depth 25
    }));
  }
}

TEST(MaskedProductKernel, RefusesWhatItCannotFold) {
  Masked of_both(20, 30, 40);
  of_both.condition = of_both.call(
      "less", {of_both.builder.index_of(Masked::kI), of_both.builder.index_of(Masked::kJ)},
      DType::b1);
  EXPECT_EQ(refusal(masked_product(), of_both.finished(), of_both.shape),
            "the condition depends on labels of both factors");
  Masked with_ones(20, 30, 40);
  EXPECT_EQ(refusal(masked_product(), with_ones.finished(1), with_ones.shape),
            "what is summed is no product that a condition lets in, else 0");
  Masked of_nothing(20, 0, 40);
  EXPECT_EQ(refusal(masked_product(), of_nothing.finished(), of_nothing.shape), "a label is empty");
}

TEST(MaskedProductKernel, IsChosenForAMatrixProduct) {
  Masked masked(500, 500, 500);
  EXPECT_EQ(choose(masked.finished(), masked.shape, known().context).kernel->name,
            "masked_product");
}

}  // namespace

}  // namespace tessera::kernels::masked_product_kernel_test
