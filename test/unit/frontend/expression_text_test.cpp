#include "frontend/einsum/program/expression_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/frontend/program_fixture.h"

namespace tessera::frontend::expression_text_test {
namespace {

std::string read(const std::string& text, const std::vector<DType>& dtypes) {
  Result<expr::Scalar> scalar =
      bind_expression({"<join>", text}, {"x", "y"}, dtypes, test_vocabulary());
  expr::Names names;
  names.parameters = {"x", "y"};
  return scalar.ok() ? std::string(name_of(scalar.value().dtype())) + " " +
                           expr::to_text(scalar.value(), names)
                     : scalar.diagnostics().render();
}

TEST(ExpressionText, ParametersHaveTheirDtypes) {
  EXPECT_EQ(read("abs(x - y)", {DType::f32, DType::f32}), "f32 abs(x - y)");
  EXPECT_EQ(read("x * y", {DType::f32, DType::f64}), "f64 f64(x) * y");
  EXPECT_EQ(read("2*x + y/4", {DType::f16, DType::f16}), "f16 f16(f16(2 * x) + f16(y / 4))");
  EXPECT_EQ(read("x^2", {DType::i32, DType::i32}), "i32 x ^ 2");
}

TEST(ExpressionText, FloatingConvertsWhatIsNoFloat) {
  EXPECT_EQ(read("floating(x) + y", {DType::i32, DType::u8}), "f64 f64(x) + f64(y)");
  EXPECT_EQ(read("floating(x)", {DType::b1, DType::b1}), "f64 f64(x)");
  EXPECT_EQ(read("floating(x) * floating(y)", {DType::f16, DType::c64}), "c64 c64(x) * y");
  EXPECT_EQ(read("x * floating(2)", {DType::i32, DType::i32}), "f64 f64(x) * 2.0");
}

TEST(ExpressionText, IntegersHaveNoNegativePowers) {
  EXPECT_THAT(
      read("x ^ -1", {DType::i32, DType::i32}),
      testing::HasSubstr("an integer (i32) to the power -1 is no integer: convert it first, "
                         "f64(x)^-1"));
  EXPECT_THAT(read("x ^ -2", {DType::b1, DType::b1}), testing::HasSubstr("(i64) to the power -2"));
  EXPECT_EQ(read("f64(x)^-1", {DType::i32, DType::i32}), "f64 f64(x) ^ -1");
  EXPECT_EQ(read("x * true^-1", {DType::f32, DType::f32}), "f32 x * 1.0");
}

TEST(ExpressionText, MacrosOfThePreludeMayBeUsed) {
  EXPECT_EQ(read("leaky_relu(x, 0.1)", {DType::f32, DType::f32}), "f32 where(x > 0, x, 0.1 * x)");
}

TEST(ExpressionText, FindingsHaveTheirPlaces) {
  EXPECT_EQ(read("abs(x - z)", {DType::f32, DType::f32}),
            "<join>:1:9: error: there is no tensor or parameter z\n"
            "  abs(x - z)\n"
            "          ^\n"
            "  help: declare it: param z = 1.0");
  EXPECT_THAT(read("", {DType::f32, DType::f32}), testing::HasSubstr("ends too early"));
  EXPECT_THAT(read("x y", {DType::f32, DType::f32}), testing::HasSubstr("unexpected y"));
  EXPECT_THAT(read("x < y", {DType::c64, DType::c64}), testing::HasSubstr("less is not defined"));
}

}  // namespace
}  // namespace tessera::frontend::expression_text_test
