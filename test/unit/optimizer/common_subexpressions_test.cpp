#include <gtest/gtest.h>

#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer {
namespace {

const std::string kRule = "common_subexpressions";

TEST(CommonSubexpressions, MakesEqualVerticesOnceWhateverTheirLabelsAreCalled) {
  EXPECT_EQ(after(kRule,
                  "%0 = input A : f32[i=8,j=9]\n"
                  "%1 = einsum(%0) {S[i] = sum[j] A[i,j]} : f32[i=8]\n"
                  "%2 = einsum(%0) {T[r] = sum[c] A[r,c]} : f32[r=8]\n"
                  "%3 = einsum(%1) {U[i] = exp(S[i])} : f32[i=8]\n"
                  "%4 = einsum(%2) {V[i] = exp(T[i])} : f32[i=8]\n"
                  "%5 = einsum(%3, %4) {W[i] = U[i] + V[i]} : f32[i=8]\noutput(%5) W\n"),
            "S[i] = sum[j] A[i,j] : f32[i=8]\n"
            "U[i] = exp(S[i]) : f32[i=8]\n"
            "W[i] = x0[i] + x1[i] : f32[i=8]\n");
}

TEST(CommonSubexpressions, KeepsApartWhatDiffers) {
  const std::string input =
      "%0 = input A : f32[i=8,j=8]\n%1 = einsum(%0) {S[] = argmax[i,j] A[i,j]} : i64[]\n";
  const std::string end = "output(%1) S\noutput(%2) T\n";
  EXPECT_EQ(
      reason(kRule, input + "%2 = einsum(%0) {T[] = argmax[j,i] A[i,j]} : i64[]\n" + end, "T"), "");
  EXPECT_EQ(
      reason(kRule, input + "%2 = einsum(%0) {T[] = argmin[i,j] A[i,j]} : i64[]\n" + end, "T"), "");
  EXPECT_EQ(
      reason(kRule, input + "%2 = einsum(%0) {T[] = argmax[a,b] A[a,b]} : i64[]\n" + end, "T"),
      "applied");
}

TEST(CommonSubexpressions, LetsTwoOutputsShareAVertex) {
  EXPECT_EQ(after(kRule,
                  "%0 = input A : f32[i=8]\n%1 = einsum(%0) {S[i] = exp(A[i])} : f32[i=8]\n"
                  "%2 = einsum(%0) {T[i] = exp(A[i])} : f32[i=8]\noutput(%1) S\noutput(%2) T\n"),
            "S[i] = exp(A[i]) : f32[i=8]\n");
}

}  // namespace
}  // namespace tessera::optimizer
