#include "expr/guard.h"

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/expr/registries.h"

namespace tessera::expr::guard_test {
namespace {

/// only(condition, x) of two labels g = 0 and n = 1, where `condition` makes its node.
template <class Condition>
Scalar guarded(Condition condition) {
  ScalarBuilder builder;
  const int32_t number = builder.access({0, {plain(1)}}, DType::i64);
  const int32_t element = builder.access({1, {plain(1)}}, DType::f32);
  return builder.finish(builder.call("only", {condition(builder, number), element}, DType::f32));
}

int32_t in_group(ScalarBuilder& builder, int32_t number) {
  const int32_t extent = builder.constant(int64_t{5}, DType::i64);
  return builder.call("in_group", {number, builder.index_of(0), extent}, DType::b1);
}

std::optional<Grouping> only_grouping(const Scalar& body) {
  const std::optional<Guard> guard = guard_of(body);
  return guard ? grouping_of(body, guard->condition, {0}) : std::nullopt;
}

TEST(Guard, IsTheRootOfABody) {
  const Scalar body = guarded(&in_group);
  ASSERT_TRUE(guard_of(body).has_value());
  EXPECT_TRUE(
      std::holds_alternative<Access>(body.nodes[static_cast<size_t>(guard_of(body)->element)].op));
  EXPECT_FALSE(has_inner_guard(body));
  ScalarBuilder builder;
  const int32_t inner = builder.inline_scalar(body, {});
  const Scalar outer = builder.finish(builder.call("negative", {inner}, DType::f32));
  EXPECT_FALSE(guard_of(outer).has_value());
  EXPECT_TRUE(has_inner_guard(outer));
}

TEST(Guard, AGroupingIsAPositionThatAValueMustBe) {
  const std::optional<Grouping> checked = only_grouping(guarded(&in_group));
  ASSERT_TRUE(checked.has_value());
  EXPECT_EQ(checked->label, 0);
  EXPECT_EQ(checked->num_groups, 5);
  const auto equal = [](ScalarBuilder& builder, int32_t number) {
    return builder.call("equal", {builder.index_of(0), number}, DType::b1);
  };
  const std::optional<Grouping> written = only_grouping(guarded(equal));
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->num_groups, std::nullopt);
}

TEST(Guard, AValueThatDependsOnTheGroupGroupsNothing) {
  const auto shifted = [](ScalarBuilder& builder, int32_t number) {
    const int32_t sum = builder.call("add", {number, builder.index_of(0)}, DType::i64);
    return builder.call("equal", {sum, builder.index_of(0)}, DType::b1);
  };
  EXPECT_FALSE(only_grouping(guarded(shifted)).has_value());
  const auto along_elements = [](ScalarBuilder& builder, int32_t number) {
    return builder.call("equal", {number, builder.index_of(1)}, DType::b1);
  };
  EXPECT_FALSE(only_grouping(guarded(along_elements)).has_value());
}

TEST(Guard, AConditionIsTakenApartIntoItsTerms) {
  const Scalar body = guarded([](ScalarBuilder& builder, int32_t number) {
    const int32_t zero = builder.constant(int64_t{0}, DType::i64);
    const int32_t positive = builder.call("greater", {number, zero}, DType::b1);
    const int32_t both =
        builder.call("logical_and", {positive, in_group(builder, number)}, DType::b1);
    return builder.call("logical_and", {both, positive}, DType::b1);
  });
  EXPECT_EQ(conjunction_of(body, guard_of(body)->condition).size(), 3u);
}

}  // namespace
}  // namespace tessera::expr::guard_test
