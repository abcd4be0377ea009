#include "frontend/sql/array_literal.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"

namespace tessera::frontend::sql::array_literal_test {

namespace {

TEST(ArrayLiteral, IsReadAndRefused) {
  const ArrayValue array = parse_array(" {{1, -2.5e1}, {3,4}} ");
  EXPECT_EQ(array.shape, (Shape{2, 2}));
  EXPECT_THAT(array.numbers, testing::ElementsAre(1.0, -25.0, 3.0, 4.0));
  for (const char* text :
       {"{{1,2},{3}}", "{1,2", "{1 2}", "{a}", "1", "", "{1,}", "{1}}", "{--1}", "{- 1}", "{-}"}) {
    EXPECT_THROW(parse_array(text), Error) << text;
  }
  EXPECT_NO_THROW(parse_array(std::string(64, '{') + "1" + std::string(64, '}')));
  EXPECT_THROW(parse_array(std::string(100'000, '{')), Error);
}

TEST(ArrayLiteral, IsOfConstantsOrOfOthers) {
  const ExpressionPtr array = array_expression(parse_array("{{1,-2},{0.5,4}}"), {});
  EXPECT_TRUE(is_array_of_constants(*array));
  EXPECT_THAT(array_value(*array).numbers, testing::ElementsAre(1.0, -2.0, 0.5, 4.0));
  const ExpressionPtr column = make_expression(ColumnReference{std::nullopt, Name{"x", {}}});
  EXPECT_FALSE(is_array_of_constants(*make_expression(ArrayLiteral{{column, array}})));
  EXPECT_FALSE(is_array_of_constants(*make_expression(NumberLiteral{"1", true})));
}

TEST(ArrayLiteral, HoldsWholeNumbersOf64Bits) {
  using Numbers = std::vector<WrittenNumber>;
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t largest = std::numeric_limits<int64_t>::max();
  const ArrayValue of_text = parse_array("{9223372036854775807,-9223372036854775808,+5}");
  EXPECT_EQ(of_text.numbers, (Numbers{largest, least, 5.0}));
  EXPECT_EQ(array_value(*array_expression(of_text, {})).numbers, of_text.numbers);
  EXPECT_EQ(exact_dtype(of_text.numbers), DType::i64);
  EXPECT_EQ(bits_of({least, 5.0}, DType::i64), (std::vector<uint64_t>{uint64_t{1} << 63U, 5}));

  const Numbers large = parse_array("{18446744073709551615,9007199254740993,0}").numbers;
  EXPECT_EQ(large, (Numbers{~uint64_t{0}, int64_t{9007199254740993}, 0.0}));
  EXPECT_EQ(exact_dtype(large), DType::u64);
  // f64 holds what is small, or is not whole, or goes into neither of the two.
  for (const char* text :
       {"{9007199254740991}", "{9007199254740993,0.5}", "{9223372036854775808,-1}",
        "{18446744073709551616}", "{-9223372036854775809}", "{1e18,1}"}) {
    EXPECT_EQ(exact_dtype(parse_array(text).numbers), DType::f64) << text;
  }
}

}  // namespace

}  // namespace tessera::frontend::sql::array_literal_test
