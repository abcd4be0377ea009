#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "expr/finite_product.h"
#include "kernels/choice.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// Products whose parts overflow: drawn programs have none.
namespace tessera::kernels::finite_product_kernel_test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kLength = 3000;

/// out[i] = product over n of x[i, n], with the flag of each row.
expr::TileProgram product_of_rows(int64_t num_rows, DType dtype) {
  const expr::BoundAggregate product =
      expr::with_finiteness(expr::all_aggregates().find("prod")->bind(dtype));
  expr::TileProgram program;
  program.labels = {{"i", num_rows}, {"n", kLength}};
  program.num_inputs = 1;
  expr::TileStatement statement{{0}, {}, expr::Reduce{product.monoid, {1}}};
  for (const expr::Scalar& lift : product.lift) {
    expr::ScalarBuilder builder;
    const int32_t element = builder.access({0, {expr::plain(0), expr::plain(1)}}, dtype);
    statement.bodies.push_back(builder.finish(builder.inline_scalar(lift, {element, element})));
  }
  program.statements = {std::move(statement)};
  return program;
}

/// Rows of threes that begin with a number each.
TestTile rows_from(const std::vector<double>& firsts) {
  TestTile tile(DType::f64, whole({static_cast<int64_t>(firsts.size()), kLength}));
  for (int64_t element = 0; element < tile.count(); ++element) {
    tile.view().as<double>()[element] = 3;
  }
  for (size_t row = 0; row < firsts.size(); ++row) {
    tile.view().as<double>()[row * kLength] = firsts[row];
  }
  return tile;
}

const Kernel& finite_product() {
  return *all_kernels().find("finite_product");
}

std::vector<bool> flags_of(const Kernel& kernel, const std::vector<double>& firsts) {
  const auto num_rows = static_cast<int64_t>(firsts.size());
  const TestTile x = rows_from(firsts);
  const CallShape shape{{{0, num_rows}, {0, kLength}}, false};
  const Outcome outcome =
      run_kernel(kernel, product_of_rows(num_rows, DType::f64), shape, {x.view()});
  const bool* const flags = outcome.outputs[1].view().as<bool>();
  return std::vector<bool>(flags, flags + num_rows);
}

TEST(FiniteProductKernel, TellsElementsThatAreNotFinite) {
  const std::vector<double> firsts = {0, 1, kInfinity, kNan, -kInfinity, -0.0};
  const std::vector<bool> expected = {true, true, false, false, false, true};
  EXPECT_EQ(flags_of(finite_product(), firsts), expected);
  EXPECT_EQ(flags_of(*all_kernels().find("reference"), firsts), expected);
}

TEST(FiniteProductKernel, LooksAtNoElementOfFiniteProducts) {
  EXPECT_EQ(flags_of(finite_product(), {1e-300, 0}), (std::vector<bool>{true, true}));
}

TEST(FiniteProductKernel, GivesTheBitsOfThePlainProduct) {
  const CallShape shape{{{0, 40}, {0, kLength}}, false};
  TestTile x(DType::f32, whole({40, kLength}));
  for (int64_t element = 0; element < x.count(); ++element) {
    x.view().as<float>()[element] = 1 + static_cast<float>(element % 7 - 3) / 1024;
  }
  const expr::TileProgram program = product_of_rows(40, DType::f32);
  expr::TileProgram plain = program;
  plain.statements[0].bodies.pop_back();
  std::get<expr::Reduce>(plain.statements[0].what).monoid =
      expr::all_aggregates().find("prod")->bind(DType::f32).monoid;
  const Choice choice = choose(plain, shape, known().context);
  EXPECT_TRUE(have_same_bits(run_kernel(finite_product(), program, shape, {x.view()}).outputs[0],
                             run_kernel(*choice.kernel, plain, shape, {x.view()}).outputs[0]));
}

/// Returns the program with the numbers that the states stand for.
expr::TileProgram with_values(expr::TileProgram program, DType dtype) {
  expr::ScalarBuilder builder;
  const int32_t product = builder.access({1, {expr::plain(0)}}, dtype);
  const int32_t flag = builder.access({2, {expr::plain(0)}}, DType::b1);
  const expr::Scalar value = expr::value_of_finite_product(dtype);
  program.statements.push_back(
      {{0}, {builder.finish(builder.inline_scalar(value, {product, flag}))}, expr::Map{}});
  return program;
}

TEST(FiniteProductKernel, GivesValuesThatAreNumbers) {
  const std::vector<double> firsts = {0, 1, kInfinity, kNan, -kInfinity, -0.0};
  TestTile x = rows_from(firsts);
  x.view().as<double>()[2 * kLength + 1000] = 0;  // beside an element that is infinite
  const CallShape shape{{{0, 6}, {0, kLength}}, false};
  const expr::TileProgram program = with_values(product_of_rows(6, DType::f64), DType::f64);
  const Outcome outcome = run_kernel(finite_product(), program, shape, {x.view()});
  const double* const values = outcome.outputs[0].view().as<double>();
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[1], kInfinity);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_EQ(values[4], -kInfinity);
  EXPECT_EQ(values[5], 0);
}

TEST(FiniteProductKernel, RefusesOtherStates) {
  const CallShape shape{{{0, 2}, {0, kLength}}, false};
  expr::TileProgram other = product_of_rows(2, DType::f64);
  EXPECT_EQ(refusal(finite_product(), other, shape), "");
  expr::ScalarBuilder always;
  other.statements[0].bodies[1] = always.finish(always.constant(true, DType::b1));
  EXPECT_NE(refusal(finite_product(), other, shape), "") << "the flag is not of the element";

  expr::TileProgram values = with_values(product_of_rows(2, DType::f64), DType::f64);
  EXPECT_EQ(refusal(finite_product(), values, shape), "");
  expr::ScalarBuilder flag;
  values.statements[1].bodies[0] = flag.finish(flag.access({2, {expr::plain(0)}}, DType::b1));
  EXPECT_NE(refusal(finite_product(), values, shape), "") << "the result is another";
}

}  // namespace

}  // namespace tessera::kernels::finite_product_kernel_test
