#include <gtest/gtest.h>

#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer {
namespace {

const std::string kRule = "pull_scalar_factor_out_of_sum";

std::string with_inputs(const std::string& dtype, const std::string& statement,
                        const std::string& out_dtype) {
  return "%0 = input A : " + dtype + "[i=8,j=9]\n%1 = input B : " + dtype +
         "[j=9,k=10]\n%2 = einsum(%0, %1) {out[i,k] = " + statement + "} : " + out_dtype +
         "[i=8,k=10]\noutput(%2) out\n";
}

TEST(PullScalarFactor, LeavesAPureProductInTheSum) {
  EXPECT_EQ(
      after(kRule, with_inputs("f32", "sum[j] 2.0:f32 * A[i,j] * B[j,k] / sqrt(9.0:f32)", "f32")),
      "out.1[i,k] = sum[j] A[i,j] * B[j,k] : f32[i=8,k=10]\n"
      "out[i,k] = out.1[i,k] * 2.0 / sqrt(9.0:f32) : f32[i=8,k=10]\n");
}

TEST(PullScalarFactor, ScalesNarrowFloatsBeforeTheyAreRounded) {
  EXPECT_EQ(after(kRule, with_inputs("f16", "sum[j] A[i,j] * B[j,k] * 0.125:f16", "f16")),
            "out.1[i,k] = sum[j] f32(A[i,j]) * f32(B[j,k]) : f32[i=8,k=10]\n"
            "out[i,k] = f16(out.1[i,k] * f32(0.125:f16)) : f16[i=8,k=10]\n");
}

TEST(PullScalarFactor, SaysWhyItDoesNotApply) {
  const auto why = [](const std::string& dtype, const std::string& statement) {
    return reason(kRule, with_inputs(dtype, statement, dtype), "out");
  };
  EXPECT_EQ(why("i32", "sum[j] A[i,j] * B[j,k] * 3:i32"),
            "i32 is no float: a division would round otherwise");
  EXPECT_EQ(why("f32", "max[j] A[i,j] * B[j,k] * 3.0:f32"),
            "multiply does not distribute over max");
  EXPECT_EQ(why("f32", "mean[j] A[i,j] * B[j,k] * 3.0:f32"),
            "multiply does not distribute over mean");
  EXPECT_EQ(why("f32", "sum[j] A[i,j] * B[j,k]"), "");
  EXPECT_EQ(why("f32", "sum[j] (A[i,j] + B[j,k]) * 3.0:f32"), "");
}

}  // namespace
}  // namespace tessera::optimizer
