#include "expr/finite_product.h"

#include <gtest/gtest.h>

#include "unit/expr/registries.h"

namespace tessera::expr::finite_product_test {

namespace {

BoundAggregate prod_of(DType dtype) {
  return all_aggregates().find("prod")->bind(dtype);
}

TEST(FiniteProduct, IsOfRealsAlone) {
  EXPECT_TRUE(is_product_of_reals(prod_of(DType::f64)));
  EXPECT_TRUE(is_product_of_reals(prod_of(DType::f32)));
  EXPECT_TRUE(is_product_of_reals(prod_of(DType::f16))) << "its state is of f32";
  EXPECT_FALSE(is_product_of_reals(prod_of(DType::i64)));
  EXPECT_FALSE(is_product_of_reals(prod_of(DType::c128)));
  EXPECT_FALSE(is_product_of_reals(all_aggregates().find("sum")->bind(DType::f64)));
}

TEST(FiniteProduct, KnowsItsMonoid) {
  const BoundAggregate product = with_finiteness(prod_of(DType::f16));
  EXPECT_EQ(product.result(), DType::f16);
  EXPECT_EQ(product.monoid.state, (std::vector<DType>{DType::f32, DType::b1}));
  EXPECT_TRUE(is_finite_product(product.monoid));
  EXPECT_FALSE(is_finite_product(prod_of(DType::f32).monoid));
  EXPECT_FALSE(is_finite_product(all_aggregates().find("mean")->bind(DType::f64).monoid));
}

TEST(FiniteProduct, KnowsTheFlagOfAnElement) {
  ScalarBuilder builder;
  const int32_t x = builder.access({0, {plain(0)}}, DType::f64);
  const int32_t flag = builder.call("isfinite", {x}, DType::b1);
  const int32_t condition = builder.access({1, {plain(0)}}, DType::b1);
  const auto chosen = [&](int32_t left_out) {
    return builder.finish(builder.call("where", {condition, x, left_out}, DType::f64));
  };
  const Scalar chosen_flag = builder.finish(
      builder.call("where", {condition, flag, builder.constant(true, DType::b1)}, DType::b1));

  EXPECT_TRUE(is_finiteness_of(builder.finish(flag), builder.finish(x)));
  EXPECT_TRUE(is_finiteness_of(chosen_flag, chosen(builder.constant(1.0, DType::f64))));
  EXPECT_FALSE(is_finiteness_of(chosen_flag, chosen(x))) << "what is left out is not known";
  EXPECT_FALSE(is_finiteness_of(builder.finish(condition), builder.finish(x)));
}

}  // namespace

}  // namespace tessera::expr::finite_product_test
