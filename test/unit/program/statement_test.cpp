#include "program/growing/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/growing/statement_text.h"

namespace tessera::program::statement_test {

namespace {

using frames::OperatorKind;
using testing::ElementsAre;

const Label i{3, 0};
const Label j{4, 0};
const Label k{4, 1};

Expression sum_of_products() {
  return apply("sum", {k}, {read("A", {i, k}) * read("B", {k, j})});
}

Expression read_by_number() {
  return call("exp", {read("A", {read("R", {j})})});
}

TEST(Expression, IsEqualByWhatItSays) {
  EXPECT_EQ(sum_of_products(), sum_of_products());
  EXPECT_EQ(sum_of_products().hash(), sum_of_products().hash());
  EXPECT_FALSE(read("A", {i}) == read("B", {i}));
  EXPECT_FALSE(read("A", {i}) == read("A", {j}));
  EXPECT_FALSE(number(1.0) == number(int64_t{1}));
  EXPECT_FALSE(number(0.0) == number(-0.0));
}

TEST(Expression, MentionsLabelsInIndicesToo) {
  EXPECT_TRUE(mentions(read_by_number(), j));
  EXPECT_FALSE(mentions(read_by_number(), i));
}

TEST(Statement, NamesTensorsOnceInTheirOrder) {
  const Expression one = read("T2", {i});
  EXPECT_THAT(tensors_read({left_of({i}), one * read("S1", {read("R3", {i})}) + one}),
              ElementsAre("T2", "S1", "R3"));
  EXPECT_THAT(tensors_read({{GroupIndex{read("R1", {i}), 2}}, apply("sum", {i}, {one})}),
              ElementsAre("R1", "T2"));
}

TEST(Statement, TellsKinds) {
  const auto kind = [](const Expression& value) { return kind_of({left_of({i}), value}); };
  EXPECT_EQ(kind(call("relu", {read("T", {i})})), OperatorKind::map);
  EXPECT_EQ(kind(read("T", {read("R", {i})})), OperatorKind::select);
  EXPECT_EQ(kind(apply("sum", {j}, {read("S", {i, j}) * read("T", {read("R", {j})})})),
            OperatorKind::aggregate);
  EXPECT_EQ(kind(apply("concat", {i}, {read("T", {i}), apply("sum", {j}, {read("S", {i, j})})})),
            OperatorKind::unite);
}

/// `[i] = a[i] * b[i] + last[i]`
Assignment product_and(const std::string& a, const std::string& b, const std::string& last) {
  return {left_of({i}), read(a, {i}) * read(b, {i}) + read(last, {i})};
}

bool same_shape(const Assignment& one, const Assignment& other) {
  return have_same_shape({one, tensors_read(one)}, {other, tensors_read(other)});
}

TEST(Statement, HasTheShapeOfThoseThatDifferInTheirTensors) {
  EXPECT_TRUE(same_shape(product_and("A", "B", "A"), product_and("T1", "T2", "T1")));
  EXPECT_EQ(shape_hash_of(product_and("A", "B", "A")),
            shape_hash_of(product_and("T1", "T2", "T1")));
  EXPECT_FALSE(same_shape(product_and("A", "B", "A"), product_and("T1", "T2", "T2")));
  EXPECT_FALSE(same_shape(product_and("A", "B", "A"), product_and("A", "A", "A")));
  EXPECT_FALSE(same_shape({{GroupIndex{read("R", {i}), 2}}, read("A", {i})},
                          {{GroupIndex{read("R", {i}), 3}}, read("A", {i})}));
  EXPECT_FALSE(
      same_shape({left_of({i}), read("A", {i})}, {left_of({i}), negative(read("A", {i}))}));
}

TEST(StatementText, IsOfTheLanguage) {
  EXPECT_EQ(text_of("C", {left_of({i, j}), sum_of_products()}),
            "C[i_3,i_4] = sum[j_4] A[i_3,j_4] * B[j_4,i_4]");
  EXPECT_EQ(text_of("C", {left_of({i}), (read("A", {i}) + Expression(i)) * sum_of_products()}),
            "C[i_3] = (A[i_3] + index(i_3)) * sum[j_4](A[i_3,j_4] * B[j_4,i_4])");
  EXPECT_EQ(text_of("C", {{GroupIndex{read("R", {i}), 2}}, negative(read("A", {i}))}),
            "C[R[i_3] of 2] = -A[i_3]");
  EXPECT_EQ(text_of("C", {left_of({i}), scan("cumsum", i, {true, read("R", {i})}, read("A", {i}))}),
            "C[i_3] = cumsum[i_3 reverse by R[i_3]](A[i_3])");
}

}  // namespace

}  // namespace tessera::program::statement_test
