#include <cmath>

#include <gtest/gtest.h>

#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

namespace tessera::kernels::cpu_kernels_test {

namespace {

expr::Access access_of(int32_t operand, const std::vector<expr::LabelNumber>& labels) {
  expr::Access access{operand, {}};
  for (const expr::LabelNumber label : labels) {
    access.index.push_back(expr::plain(label));
  }
  return access;
}

expr::Monoid sum_of(DType dtype) {
  return expr::all_aggregates().find("sum")->bind(dtype).monoid;
}

TEST(BlockedEvaluator, SumsTenMillionFloatsAccurately) {
  constexpr int64_t kCount = 10'000'000;
  expr::TileProgram program{{{"i", kCount}},
                            1,
                            {{{},
                              {expr::scalar_of(access_of(0, {0}), DType::f32)},
                              expr::Reduce{sum_of(DType::f32), {0}}}}};
  const TestTile tile(DType::f32, whole({kCount}));
  double exact = 0;
  for (int64_t element = 0; element < kCount; ++element) {
    tile.view().as<float>()[element] = 0.1F + static_cast<float>(element % 1000) * 1e-3F;
    exact += static_cast<double>(tile.view().as<float>()[element]);
  }
  const Registry& registry = all_kernels();
  const Outcome outcome = run_kernel(*registry.find("blocked_evaluator"), program,
                                     {{{0, kCount}}, false}, {tile.view()});
  const double sum = static_cast<double>(outcome.outputs[0].view().as<float>()[0]);
  EXPECT_LT(std::abs(sum - exact) / exact,
            5e-7);  // 16 + log2(10^7 / 16384) + 10 roundings of 6e-8 that partly cancel
}

TEST(BlockedEvaluator, ReversesTwentySevenModes) {
  constexpr int32_t kModes = 27;
  expr::TileProgram program{{}, 1, {{}}};
  CallShape shape;
  std::vector<expr::LabelNumber> labels;
  for (int32_t mode = 0; mode < kModes; ++mode) {
    const int64_t extent = mode % 3 == 0 ? 2 : 1;
    program.labels.push_back({"l" + std::to_string(mode), extent});
    shape.ranges.push_back({0, extent});
    labels.push_back(mode);
    program.statements[0].out.insert(program.statements[0].out.begin(), mode);
  }
  program.statements[0].bodies = {expr::scalar_of(access_of(0, labels), DType::i16)};
  Shape extents;
  for (const LabelRange& range : shape.ranges) {
    extents.push_back(range.length);
  }
  TestTile tile(DType::i16, whole(extents));
  std::mt19937_64 random(3);
  tile.fill(random, -1000, 1000);
  const Registry& registry = all_kernels();
  const Outcome expected = run_kernel(*registry.find("reference"), program, shape, {tile.view()});
  const Outcome outcome =
      run_kernel(*registry.find("blocked_evaluator"), program, shape, {tile.view()});
  EXPECT_EQ(first_difference(outcome.outputs[0], expected.outputs[0]), -1);
}

TEST(BlockedEvaluator, ReportsAnIntegerDivisionByZero) {
  expr::ScalarBuilder builder;
  const int32_t x = builder.access(access_of(0, {0}), DType::i32);
  const int32_t y = builder.access(access_of(1, {0}), DType::i32);
  expr::TileProgram program{{{"i", 50}}, 2, {{}}};
  program.statements[0].out = {0};
  program.statements[0].bodies = {builder.finish(builder.call("floor_divide", {x, y}, DType::i32))};
  std::mt19937_64 random(3);
  TestTile tile(DType::i32, whole({50}));
  tile.fill(random, 1, 9);
  const Registry& registry = all_kernels();
  const Kernel& kernel = *registry.find("blocked_evaluator");
  const CallShape shape{{{0, 50}}, false};
  EXPECT_EQ(run_kernel(kernel, program, shape, {tile.view(), tile.view()}).status, Status::ok);
  tile.view().as<int32_t>()[49] = 0;
  EXPECT_EQ(run_kernel(kernel, program, shape, {tile.view(), tile.view()}).status,
            Status::integer_division_by_zero);
}

TEST(BlockedEvaluator, ReportsAnIndexOutsideItsOperand) {
  expr::Access access{0, {expr::affine({{{0, 1}}, 1})}};
  expr::TileProgram program{{{"i", 8}}, 1, {{}}};
  program.statements[0].out = {0};
  program.statements[0].bodies = {expr::scalar_of(access, DType::f64)};
  const TestTile tile(DType::f64, whole({8}));
  const Registry& registry = all_kernels();
  const Outcome outcome =
      run_kernel(*registry.find("blocked_evaluator"), program, {{{0, 8}}, false}, {tile.view()});
  EXPECT_EQ(outcome.status, Status::out_of_range);
}

TEST(Gemm, SaysWhyAProgramIsNoMatrixProduct) {
  const Registry& registry = all_kernels();
  const Kernel& gemm = *registry.find("gemm");
  const expr::Scalar element = expr::scalar_of(access_of(0, {0}), DType::f32);
  const expr::TileProgram sum{
      {{"i", 4}}, 1, {{{}, {element}, expr::Reduce{sum_of(DType::f32), {0}}}}};
  EXPECT_EQ(refusal(gemm, sum, {{{0, 4}}, false}), "what is summed is not a product");
  const expr::TileProgram copy{{{"i", 4}}, 1, {{{0}, {element}}}};
  EXPECT_EQ(refusal(gemm, copy, {{{0, 4}}, false}), "it is not one sum");
}

/// o[a,i,k] = sum[j] x[i,j] * y[j,k], where a has so many positions.
expr::TileProgram repeated_product(int64_t count) {
  expr::ScalarBuilder builder;
  const int32_t x = builder.access(access_of(0, {1, 2}), DType::f64);
  const int32_t y = builder.access(access_of(1, {2, 3}), DType::f64);
  const expr::Scalar product = builder.finish(builder.call("multiply", {x, y}, DType::f64));
  return {{{"a", count}, {"i", 20}, {"j", 30}, {"k", 40}},
          2,
          {{{0, 1, 3}, {product}, expr::Reduce{sum_of(DType::f64), {2}}}}};
}

TEST(Gemm, TakesALabelOfOnePositionThatNoFactorHas) {
  const Registry& registry = all_kernels();
  const Kernel& gemm = *registry.find("gemm");
  std::mt19937_64 random(3);
  TestTile x(DType::f64, whole({20, 30}));
  TestTile y(DType::f64, whole({30, 40}));
  x.fill(random);
  y.fill(random);
  const CallShape shape{{{0, 1}, {0, 20}, {0, 30}, {0, 40}}, false};
  const expr::TileProgram program = repeated_product(1);
  const Outcome expected =
      run_kernel(*registry.find("reference"), program, shape, {x.view(), y.view()});
  const Outcome outcome = run_kernel(gemm, program, shape, {x.view(), y.view()});
  ASSERT_EQ(outcome.status, Status::ok);
  EXPECT_EQ(first_difference(outcome.outputs[0], expected.outputs[0]), -1);
  EXPECT_EQ(refusal(gemm, repeated_product(2), {{{0, 2}, {0, 20}, {0, 30}, {0, 40}}, false}),
            "label a is in neither factor");
}

TEST(CopyKernel, TakesAWorkspaceOnlyForWhatIsLargerThanACache) {
  const auto workspace_of = [](int64_t rows) {
    expr::ScalarBuilder builder;
    const int32_t element =
        builder.access({0, {expr::plain(1), expr::plain(0)}}, DType::f32);  // transposed
    expr::TileProgram program{{{"i", rows}, {"j", 64}}, 1, {}};
    program.statements.push_back({{0, 1}, {builder.finish(element)}});
    const CallShape shape{{{0, rows}, {0, 64}}, false};
    return all_kernels().find("copy")->read(program, shape, known().context)->workspace_bytes;
  };
  const int64_t cached_rows = known().machine.caches.core_bytes / (64 * 4);
  EXPECT_EQ(workspace_of(30), 0);
  EXPECT_EQ(workspace_of(cached_rows), 0);
  EXPECT_GT(workspace_of(cached_rows + 1), 0);
}

}  // namespace

}  // namespace tessera::kernels::cpu_kernels_test
