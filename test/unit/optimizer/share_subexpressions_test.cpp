#include "optimizer/tra/share_subexpressions.h"

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/expr/registries.h"

/// Text in, text out, with everything shared that can be unless a test says otherwise.
namespace tessera::optimizer::share_subexpressions_test {
namespace {

expr::TileProgram program_of(const std::string& text) {
  return expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                             expr::all_functions());
}

std::string shared(const std::string& text) {
  const auto always = [](const expr::TileProgram&, const expr::TileProgram&) { return true; };
  return expr::to_text(share_subexpressions(program_of(text), always));
}

void expect_unchanged(const std::string& text) {
  EXPECT_EQ(shared(text), expr::to_text(program_of(text)));
}

TEST(ShareSubexpressions, ASoftmaxComputesItsExponentialsOnce) {
  EXPECT_EQ(shared("[i=8,j=9] (f32) t0[i] = max[j] x0[i,j]; t1[i] = sum[j] exp(x0[i,j] - t0[i]); "
                   "o[i,j] = exp(x0[i,j] - t0[i]) / t1[i]"),
            expr::to_text(
                program_of("[i=8,j=9] (f32) t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - t0[i]);"
                           " t2[i] = sum[j] t1[i,j]; o[i,j] = t1[i,j] / t2[i]")));
}

TEST(ShareSubexpressions, ASumWithALeafStaysWhatItIs) {
  const std::string labels = "[i=8,j=9,k=7] (f32,f32) ";
  // Its leaves have lanes, and would be chains.
  expect_unchanged(labels +
                   "t0[k] = max[j] exp(x1[j,k]); "
                   "o[i,k] = sum[j; leaf j=8] x0[i,j] * exp(x1[j,k])");
  // Without a leaf it may become a matrix product.
  EXPECT_EQ(shared(labels + "t0[k] = max[j] exp(x1[j,k]); o[i,k] = sum[j] x0[i,j] * exp(x1[j,k])"),
            expr::to_text(program_of(labels + "t0[j,k] = exp(x1[j,k]); t1[k] = max[j] t0[j,k]; "
                                              "o[i,k] = sum[j] x0[i,j] * t0[j,k]")));
}

TEST(ShareSubexpressions, AStatementThatComputesItAlreadyIsRead) {
  EXPECT_EQ(shared("[i=8,j=9] (f32) t0[i,j] = exp(x0[i,j]); o[i] = sum[j] log(exp(x0[i,j]) + 1)"),
            expr::to_text(program_of("[i=8,j=9] (f32) t0[i,j] = exp(x0[i,j]); "
                                     "o[i] = sum[j] log(t0[i,j] + 1)")));
}

TEST(ShareSubexpressions, OperandsBehindTheNewStatementAreRenumbered) {
  EXPECT_EQ(shared("[i=8,j=9] (f32,f32) t0[i] = sum[j] x1[i,j]; t1[i] = sum[j] exp(x0[i,j]); "
                   "t2[i] = t0[i] + t1[i]; o[i,j] = exp(x0[i,j]) * t2[i] - t1[i]"),
            expr::to_text(program_of(
                "[i=8,j=9] (f32,f32) t0[i] = sum[j] x1[i,j]; t1[i,j] = exp(x0[i,j]); "
                "t2[i] = sum[j] t1[i,j]; t3[i] = t0[i] + t2[i]; o[i,j] = t1[i,j] * t3[i] - "
                "t2[i]")));
}

TEST(ShareSubexpressions, TheOrderIsThatOfTheOperandOfMostModes) {
  EXPECT_EQ(shared("[i=8,j=9] (f32,f32) t0[j] = sum[i] exp(x1[j] + x0[i,j]); "
                   "t1[i] = max[j] exp(x1[j] + x0[i,j]); o[i,j] = t0[j] * t1[i]"),
            expr::to_text(program_of(
                "[i=8,j=9] (f32,f32) t0[i,j] = exp(x1[j] + x0[i,j]); t1[j] = sum[i] t0[i,j]; "
                "t2[i] = max[j] t0[i,j]; o[i,j] = t1[j] * t2[i]")));
}

TEST(ShareSubexpressions, TheLargestIsTriedFirstAndSmallerOnesAfterIt) {
  // square(exp(x)) is in two statements, exp(x) in three.
  EXPECT_EQ(
      shared("[i=8,j=9] (f32) t0[i] = sum[j] square(exp(x0[i,j])); t1[i] = max[j] exp(x0[i,j]); "
             "o[i,j] = square(exp(x0[i,j])) * t0[i] * t1[i]"),
      expr::to_text(program_of(
          "[i=8,j=9] (f32) t0[i,j] = exp(x0[i,j]); t1[i,j] = square(t0[i,j]); "
          "t2[i] = sum[j] t1[i,j]; t3[i] = max[j] t0[i,j]; o[i,j] = t1[i,j] * t2[i] * t3[i]")));
}

TEST(ShareSubexpressions, OnlyWhatIsBetterIsKept) {
  const std::string text =
      "[i=8,j=9] (f32) t0[i] = sum[j] exp(x0[i,j]); o[i,j] = exp(x0[i,j]) / t0[i]";
  int num_asked = 0;
  const auto never = [&](const expr::TileProgram& now, const expr::TileProgram& instead) {
    EXPECT_EQ(now, program_of(text));
    EXPECT_EQ(instead.statements.size(), 3u);
    ++num_asked;
    return false;
  };
  EXPECT_EQ(share_subexpressions(program_of(text), never), program_of(text));
  EXPECT_EQ(num_asked, 1);
}

TEST(ShareSubexpressions, OtherLabelsAreAnotherExpression) {
  expect_unchanged("[i=9,j=9] (f32) t0[i] = sum[j] exp(x0[i,j]); o[i,j] = exp(x0[j,i]) / t0[i]");
}

TEST(ShareSubexpressions, WhatIsRoundedWhenStoredIsNotShared) {
  expect_unchanged("[i=8,j=9] (f16) t0[i] = sum[j] exp(x0[i,j]); o[i,j] = exp(x0[i,j]) / t0[i]");
  expect_unchanged("[i=8,j=9] (bf16) t0[i] = sum[j] exp(x0[i,j]); o[i,j] = exp(x0[i,j]) / t0[i]");
}

TEST(ShareSubexpressions, OperandsAndNumbersAreNoExpressions) {
  expect_unchanged("[i=8,j=9] (f32) t0[i] = sum[j] x0[i,j]; o[i,j] = x0[i,j] / t0[i]");
  expect_unchanged("[i=8] (f32) t0[i] = x0[i] * exp(2:f32); o[i] = t0[i] + exp(2:f32)");
}

TEST(ShareSubexpressions, OneStatementIsLeftAlone) {
  expect_unchanged("[i=8] (f32) o[i] = exp(x0[i]) * exp(x0[i])");
}

}  // namespace
}  // namespace tessera::optimizer::share_subexpressions_test
