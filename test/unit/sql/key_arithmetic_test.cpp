#include "sql/key_arithmetic.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/sql/rewrite.h"

namespace tessera::sql::key_arithmetic_test {

namespace {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::Value;

ExpressionPtr literal(const std::string& text, bool is_integer) {
  return make_expression(NumberLiteral{text, is_integer});
}

ExpressionPtr column(const std::string& name) {
  return make_expression(ColumnReference{std::nullopt, Name{name, {}}});
}

ExpressionPtr call(const std::string& name, ExpressionPtr left, ExpressionPtr right) {
  return make_expression(Call{Name{name, {}}, {std::move(left), std::move(right)}});
}

Value value_of(const ExpressionPtr& expression, const std::vector<Value>& row) {
  return KeyArithmetic::of(expression, {"a", "b"})->value([&](size_t place) { return row[place]; });
}

TEST(KeyArithmetic, ComputesAsSqliteDoes) {
  const ExpressionPtr cosine =
      call("nan_subtract", literal("1", true), call("nan_divide", column("a"), column("b")));
  EXPECT_EQ(value_of(cosine, {3.0, 4.0}), Value(0.25));
  EXPECT_EQ(value_of(cosine, {int64_t{7}, int64_t{2}}), Value(int64_t{-2}));  // of whole numbers
  EXPECT_EQ(value_of(cosine, {int64_t{7}, int64_t{0}}), Value());
  EXPECT_EQ(value_of(cosine, {Value(), 4.0}), Value());
  EXPECT_TRUE(std::isnan(std::get<double>(value_of(cosine, {0.0, 0.0}))));
  EXPECT_EQ(value_of(literal("2.5", false), {}), Value(2.5));
  EXPECT_EQ(value_of(column("b"), {1.0, int64_t{5}}), Value(int64_t{5}));
}

TEST(KeyArithmetic, LeavesOtherExpressionsToSqlite) {
  EXPECT_FALSE(KeyArithmetic::of(column("c"), {"a", "b"}));
  EXPECT_FALSE(KeyArithmetic::of(call("max", column("a"), column("b")), {"a", "b"}));
  EXPECT_FALSE(KeyArithmetic::of(make_expression(NullLiteral{}), {"a", "b"}));
}

}  // namespace

}  // namespace tessera::sql::key_arithmetic_test
