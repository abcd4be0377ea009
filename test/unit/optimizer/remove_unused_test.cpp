#include <gtest/gtest.h>

#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer {
namespace {

const std::string kRule = "remove_unused";
const std::string kText =
    "%0 = input A : f32[i=8]\n%1 = input B : f32[i=8]\n"
    "%2 = einsum(%1) {D[i] = exp(B[i])} : f32[i=8]\n"
    "%3 = einsum(%2) {E[i] = exp(D[i])} : f32[i=8]\n"
    "%4 = einsum(%0) {S[i] = exp(A[i])} : f32[i=8]\noutput(%4) S\n";

TEST(RemoveUnused, LeavesOutWholeChainsAtOnce) {
  EXPECT_EQ(after(kRule, kText), "S[i] = exp(A[i]) : f32[i=8]\n");
}

TEST(RemoveUnused, KeepsInputs) {
  EXPECT_EQ(reason(kRule, kText, "B"), "inputs stay");
  EXPECT_EQ(reason(kRule, kText, "S"), "");
}

}  // namespace
}  // namespace tessera::optimizer
