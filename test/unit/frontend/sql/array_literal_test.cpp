#include "frontend/sql/array_literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"

namespace tessera::frontend::sql {

namespace {

TEST(ArrayLiteral, IsReadAndRefused) {
  const ArrayValue array = parse_array(" {{1, -2.5e1}, {3,4}} ");
  EXPECT_EQ(array.shape, (Shape{2, 2}));
  EXPECT_THAT(array.numbers, testing::ElementsAre(1, -25, 3, 4));
  for (const char* text : {"{{1,2},{3}}", "{1,2", "{1 2}", "{a}", "1", "", "{1,}", "{1}}"}) {
    EXPECT_THROW(parse_array(text), Error) << text;
  }
  EXPECT_NO_THROW(parse_array(std::string(64, '{') + "1" + std::string(64, '}')));
  EXPECT_THROW(parse_array(std::string(100'000, '{')), Error);
}

TEST(ArrayLiteral, IsOfConstantsOrOfOthers) {
  const ExpressionPtr array = array_expression(parse_array("{{1,-2},{0.5,4}}"), {});
  EXPECT_TRUE(is_array_of_constants(*array));
  EXPECT_THAT(array_value(*array).numbers, testing::ElementsAre(1, -2, 0.5, 4));
  const ExpressionPtr column = make_expression(ColumnReference{std::nullopt, Name{"x", {}}});
  EXPECT_FALSE(is_array_of_constants(*make_expression(ArrayLiteral{{column, array}})));
  EXPECT_FALSE(is_array_of_constants(*make_expression(NumberLiteral{"1", true})));
}

}  // namespace

}  // namespace tessera::frontend::sql
