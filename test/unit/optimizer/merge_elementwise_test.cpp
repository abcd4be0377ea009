#include <gtest/gtest.h>

#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer {
namespace {

const std::string kRule = "merge_elementwise";

TEST(MergeElementwise, MakesOnePassOfAChain) {
  EXPECT_EQ(after(kRule,
                  "%0 = input X : f32[i=8,j=9]\n"
                  "%1 = einsum(%0) {Y[i,j] = X[i,j] + 1.0:f32} : f32[i=8,j=9]\n"
                  "%2 = einsum(%1) {Z[j,i] = exp(Y[i,j])} : f32[j=9,i=8]\n"
                  "%3 = einsum(%2) {W[a] = sum[b] tanh(Z[a,b])} : f32[a=9]\n"
                  "output(%3) W\n"),
            "Y[i,j] = X[i,j] + 1.0 : f32[i=8,j=9]\n"
            "Z[j,i] = exp(X[i,j] + 1.0) : f32[j=9,i=8]\n"
            "W[a] = sum[b] tanh(exp(X[b,a] + 1.0)) : f32[a=9]\n");
}

TEST(MergeElementwise, SharesOperandsOfBoth) {
  EXPECT_EQ(after(kRule,
                  "%0 = input X : f32[i=8]\n%1 = input B : f32[i=8]\n"
                  "%2 = einsum(%0, %1) {Y[i] = X[i] - B[i]} : f32[i=8]\n"
                  "%3 = einsum(%0, %2) {Z[i] = X[i] * Y[i]} : f32[i=8]\noutput(%3) Z\n"),
            "Y[i] = X[i] - B[i] : f32[i=8]\n"
            "Z[i] = X[i] * (X[i] - B[i]) : f32[i=8]\n");
}

TEST(MergeElementwise, KeepsIndexAndReorderedLabels) {
  EXPECT_EQ(
      after(
          kRule,
          "%0 = input X : f32[i=8,j=9]\n"
          "%1 = einsum(%0) {Y[j,i] = where(index(i) <= index(j), X[i,j], 0.0:f32)} : f32[j=9,i=8]\n"
          "%2 = einsum(%1) {Z[i,j] = exp(Y[i,j])} : f32[i=9,j=8]\noutput(%2) Z\n"),
      "Y[j,i] = where(index(i) <= index(j), X[i,j], 0.0) : f32[j=9,i=8]\n"
      "Z[i,j] = exp(where(index(j) <= index(i), X[j,i], 0.0)) : f32[i=9,j=8]\n");
}

struct Refusal {
  std::string rest;
  std::string vertex;
  std::string reason;
};

TEST(MergeElementwise, SaysWhyItDoesNotApply) {
  const std::string inputs =
      "%0 = input X : f32[i=8,j=8]\n%1 = input B : f32[j=8,k=9]\n%2 = input H : f16[i=8]\n"
      "%3 = einsum(%0) {E[i,j] = exp(X[i,j])} : f32[i=8,j=8]\n";
  const std::vector<Refusal> cases = {
      {"%4 = einsum(%3) {S[i] = sum[j] E[i,j]} : f32[i=8]\n%5 = einsum(%3, %4) {P[i,j] = E[i,j] / "
       "S[i]} : f32[i=8,j=8]\n"
       "output(%5) P\n",
       "S", "E has 2 readers: each would compute it again"},
      {"%4 = einsum(%3, %1) {S[i,k] = sum[j] E[i,j] * B[j,k]} : f32[i=8,k=9]\noutput(%4) S\n", "S",
       "E is a factor of a contraction, whose kernel reads it many times"},
      {"%4 = einsum(%3) {S[i,j] = E[i,j] * E[j,i]} : f32[i=8,j=8]\noutput(%4) S\n", "S",
       "E is read at several places"},
      {"%4 = einsum(%3) {S[i] = E[i,i]} : f32[i=8]\noutput(%4) S\n", "S",
       "E is not read at plain distinct labels"},
      {"%4 = einsum(%3, %1) {S[i,j,k] = E[i,j] + B[j,k]} : f32[i=8,j=8,k=9]\noutput(%4) S\n", "S",
       "E would be computed again along the labels it does not have"},
      {"%4 = einsum(%3) {S[i,j] = E[i,j] + 1.0:f32} : f32[i=8,j=8]\noutput(%4) S\noutput(%3) E\n",
       "S", "E has 2 readers: each would compute it again"},
      {"%4 = einsum(%2) {G[i] = H[i] + 1.0:f16} : f16[i=8]\n%5 = einsum(%4) {S[i] = G[i] * "
       "2.0:f16} : f16[i=8]\noutput(%5) S\n",
       "S", "G is rounded to f16 where it is stored"},
  };
  for (const Refusal& each : cases) {
    EXPECT_EQ(reason(kRule, inputs + each.rest, each.vertex), each.reason) << each.rest;
  }
}

}  // namespace
}  // namespace tessera::optimizer
