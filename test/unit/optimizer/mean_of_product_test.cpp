#include <gtest/gtest.h>

#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer {
namespace {

const std::string kRule = "mean_of_product";

std::string with_inputs(const std::string& dtype, const std::string& statement,
                        const std::string& out) {
  return "%0 = input A : " + dtype + "[i=8,j=9]\n%1 = input B : " + dtype +
         "[j=9,k=10]\n%2 = einsum(%0, %1) {out[i,k] = " + statement + "} : " + out +
         "[i=8,k=10]\noutput(%2) out\n";
}

TEST(MeanOfProduct, IsASumOverTheCount) {
  EXPECT_EQ(after(kRule, with_inputs("f32", "mean[j] A[i,j] * B[j,k]", "f32")),
            "out.1[i,k] = sum[j] A[i,j] * B[j,k] : f32[i=8,k=10]\n"
            "out[i,k] = out.1[i,k] / f32(9:i64) : f32[i=8,k=10]\n");
}

TEST(MeanOfProduct, IsRoundedAfterTheQuotient) {
  EXPECT_EQ(after(kRule, with_inputs("f16", "mean[j] A[i,j] * exp(B[j,k])", "f16")),
            "out.1[i,k] = sum[j] f32(A[i,j]) * f32(exp(B[j,k])) : f32[i=8,k=10]\n"
            "out[i,k] = f16(out.1[i,k] / f32(9:i64)) : f16[i=8,k=10]\n");
}

TEST(MeanOfProduct, CountsEveryLabelOfNothingToo) {
  EXPECT_EQ(
      after(kRule,
            "%0 = input A : f64[i=0,j=9]\n%1 = input B : f64[j=9]\n"
            "%2 = einsum(%0, %1) {out[] = mean[i,j] A[i,j] * B[j]} : f64[]\noutput(%2) out\n"),
      "out.1[] = sum[i,j] A[i,j] * B[j] : f64[]\n"
      "out[] = out.1[] / f64(0:i64) : f64[]\n");
}

TEST(MeanOfProduct, SaysWhyItDoesNotApply) {
  const auto why = [](const std::string& dtype, const std::string& statement,
                      const std::string& out) {
    return reason(kRule, with_inputs(dtype, statement, out), "out");
  };
  EXPECT_EQ(why("i32", "mean[j] A[i,j] * B[j,k]", "f64"), "the mean of i32 is summed in f64");
  EXPECT_EQ(why("f32", "sum[j] A[i,j] * B[j,k]", "f32"), "");
  EXPECT_EQ(why("f32", "mean[j] (A[i,j] + B[j,k])", "f32"), "");
  EXPECT_EQ(reason(kRule,
                   "%0 = input A : f32[i=8,j=9]\n"
                   "%1 = einsum(%0) {out[i] = mean[j] A[i,j] * A[i,j]} : f32[i=8]\noutput(%1) "
                   "out\n",
                   "out"),
            "every factor has every label: the mean's kernel is as fast");
}

}  // namespace
}  // namespace tessera::optimizer
