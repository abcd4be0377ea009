#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// What the drawn programs of every_kernel_test do not reach: NaN, infinities and the sign of zero,
/// and sides beyond one panel.
namespace tessera::kernels {

namespace {

struct Pair {
  const char* join;
  const char* of_join;  // "": nothing
  const char* aggregate;
};

constexpr Pair kPairs[] = {
    {"add", "", "min"},         {"add", "", "max"},         {"multiply", "", "max"},
    {"multiply", "", "min"},    {"minimum", "", "max"},     {"maximum", "", "min"},
    {"subtract", "abs", "sum"}, {"subtract", "abs", "max"}, {"subtract", "square", "sum"},
};

/// out[i, j] = aggregate over k of of_join(join(x[i, k], y[k, j])).
expr::TileProgram program_of(const Pair& pair, DType dtype, int64_t m, int64_t n, int64_t k) {
  expr::TileProgram program{{{"i", m}, {"j", n}, {"k", k}}, 2, {}};
  expr::TileStatement statement;
  statement.out = {0, 1};
  expr::ScalarBuilder builder;
  const int32_t x = builder.access({0, {expr::plain(0), expr::plain(2)}}, dtype);
  const int32_t y = builder.access({1, {expr::plain(2), expr::plain(1)}}, dtype);
  int32_t body = builder.call(pair.join, {x, y}, dtype);
  body = *pair.of_join == 0 ? body : builder.call(pair.of_join, {body}, dtype);
  statement.bodies = {builder.finish(body)};
  statement.what =
      expr::Reduce{expr::all_aggregates().find(pair.aggregate)->bind(dtype).monoid, {2}};
  program.statements = {statement};
  return program;
}

CallShape shape_of(const expr::TileProgram& program) {
  CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    shape.ranges.push_back({0, label.extent});
  }
  return shape;
}

template <class T>
TestTile tile_of(const Shape& extents, const std::vector<double>& values, uint64_t seed) {
  TestTile tile(std::is_same_v<T, float> ? DType::f32 : DType::f64, whole(extents));
  std::mt19937_64 random(seed);
  for (int64_t element = 0; element < tile.count(); ++element) {
    tile.view().as<T>()[element] = static_cast<T>(values[random() % values.size()]);
  }
  return tile;
}

/// Equal with the sign of zero; NaN equals NaN.
template <class T>
bool same_bits(T a, T b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T>
void expect_as_reference(const Pair& pair, const std::vector<double>& values) {
  const Registry& registry = all_kernels();
  const DType dtype = std::is_same_v<T, float> ? DType::f32 : DType::f64;
  const expr::TileProgram program = program_of(pair, dtype, 9, 37, 3);
  const CallShape shape = shape_of(program);
  const TestTile x = tile_of<T>({9, 3}, values, 1);
  const TestTile y = tile_of<T>({3, 37}, values, 2);
  const Kernel& kernel = *registry.find("semiring");
  ASSERT_EQ(refusal(kernel, program, shape), "");
  const Outcome outcome = run_kernel(kernel, program, shape, {x.view(), y.view()});
  const Outcome expected =
      run_kernel(*registry.find("reference"), program, shape, {x.view(), y.view()});
  for (int64_t element = 0; element < 9 * 37; ++element) {
    const T computed = outcome.outputs[0].view().as<T>()[element];
    const T wanted = expected.outputs[0].view().as<T>()[element];
    ASSERT_TRUE(same_bits(computed, wanted))
        << pair.join << " " << pair.of_join << " " << pair.aggregate << " at " << element << ": "
        << computed << ", not " << wanted;
  }
}

TEST(SemiringKernel, KeepsNanInfinitiesAndTheSignOfZero) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> sets = {
      {0.0, -0.0},
      {0.0, -0.0, 1, -1},
      {1, 2, -3},
      {1, kNan},
      {kInfinity, 1, 2},
      {-kInfinity, 1, 0},
      {kInfinity, 0, -0.0},
      {kInfinity, -kInfinity, 1},
      {kNan, kInfinity, -kInfinity, 0.0, -0.0, 1},
      {1e-30, -1e-30, 1e30, -1e30},
  };
  for (const Pair& pair : kPairs) {
    for (const std::vector<double>& values : sets) {
      expect_as_reference<float>(pair, values);
      expect_as_reference<double>(pair, values);
    }
  }
}

TEST(SemiringKernel, AgreesWithTheBlockedEvaluatorBeyondOnePanel) {
  const Registry& registry = all_kernels();
  for (const Pair& pair : kPairs) {
    const expr::TileProgram program = program_of(pair, DType::f32, 131, 1030, 259);
    const CallShape shape = shape_of(program);
    const TestTile x = tile_of<float>({131, 259}, {-2, -1, 0, 1, 2, 3}, 1);
    const TestTile y = tile_of<float>({259, 1030}, {-2, -1, 0, 1, 2, 3}, 2);
    const Outcome outcome =
        run_kernel(*registry.find("semiring"), program, shape, {x.view(), y.view()});
    const Outcome expected =
        run_kernel(*registry.find("blocked_evaluator"), program, shape, {x.view(), y.view()});
    EXPECT_EQ(first_difference(outcome.outputs[0], expected.outputs[0]), -1) << pair.join;
  }
}

TEST(SemiringKernel, RefusesWithAReason) {
  const Registry& registry = all_kernels();
  const Kernel& kernel = *registry.find("semiring");
  const auto reason = [&](const expr::TileProgram& program) {
    return refusal(kernel, program, shape_of(program));
  };
  EXPECT_EQ(reason(program_of({"add", "", "sum"}, DType::f32, 2, 2, 2)),
            "there is no tile that merges add of f32 by add");
  EXPECT_EQ(reason(program_of({"add", "", "argmin"}, DType::f32, 2, 2, 2)),
            "its aggregate is not one function of one state");
  expr::TileProgram program = program_of({"add", "", "min"}, DType::f32, 2, 2, 2);
  program.statements[0].what = expr::Map{};
  EXPECT_EQ(reason(program), "it is not one reduction");
}

}  // namespace

}  // namespace tessera::kernels
