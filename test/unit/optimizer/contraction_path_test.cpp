#include <algorithm>

#include <gtest/gtest.h>

#include "optimizer/einsum/driver.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer {
namespace {

const std::string kRule = "contraction_path";

TEST(ContractionPath, CutsAChainWhereItIsCheap) {
  EXPECT_EQ(
      after(kRule,
            "%0 = input A : f32[i=8,j=9]\n%1 = input B : f32[j=9,k=10]\n%2 = input C : f32[k=10]\n"
            "%3 = einsum(%0, %1, %2) {out[i] = sum[j,k] A[i,j] * B[j,k] * C[k]} : f32[i=8]\n"
            "output(%3) out\n"),
      "out.1[j] = sum[k] B[j,k] * C[k] : f32[j=9]\n"
      "out[i] = sum[j] A[i,j] * out.1[j] : f32[i=8]\n");
}

TEST(ContractionPath, SumsLabelsOfOneOperandThereFirst) {
  EXPECT_EQ(
      after(
          kRule,
          "%0 = input A : f32[i=8,j=9]\n%1 = input B : f32[j=9,k=10]\n"
          "%2 = einsum(%0, %1) {out[k] = sum[i,j] A[i,j] * B[j,k]} : f32[k=10]\noutput(%2) out\n"),
      "[i=8,j=9] out.1[j] = sum[i] A[i,j] : f32[j=9]\n"
      "[j=9,k=10] out[k] = sum[j] out.1[j] * B[j,k] : f32[k=10]\n");
}

TEST(ContractionPath, ReadsDiagonalsAndBroadcastModesOutFirst) {
  EXPECT_EQ(
      after(kRule,
            "%0 = input A : f32[i=8,i2=8]\n%1 = input B : f32[j=1,k=10]\n"
            "%2 = einsum(%0, %1) {out[k] = sum[i] A[i,i] * B[0,k]} : f32[k=10]\noutput(%2) out\n"),
      "out.1[] = sum[i] A[i,i] : f32[]\n"
      "out.2[k] = B[0,k] : f32[k=10]\n"
      "out[k] = out.1[] * out.2[k] : f32[k=10]\n");
  EXPECT_EQ(
      after(kRule,
            "%0 = input A : f32[i=8,i2=8]\n%1 = input B : f32[i=8,k=10]\n"
            "%2 = einsum(%0, %1) {out[k] = sum[i] A[i,i] * B[i,k]} : f32[k=10]\noutput(%2) out\n"),
      "out.1[i] = A[i,i] : f32[i=8]\n"
      "[i=8,k=10] out[k] = sum[i] out.1[i] * B[i,k] : f32[k=10]\n");
}

TEST(ContractionPath, RoundsNarrowFloatsOnceAtTheEnd) {
  EXPECT_EQ(
      after(
          kRule,
          "%0 = input A : f16[i=8,j=9]\n%1 = input B : f16[j=9,k=10]\n%2 = input C : "
          "f16[k=10,l=7]\n"
          "%3 = einsum(%0, %1, %2) {out[i,l] = sum[j,k] A[i,j] * B[j,k] * C[k,l]} : f16[i=8,l=7]\n"
          "output(%3) out\n"),
      "[j=9,k=10,l=7] out.1[j,l] = sum[k] f32(B[j,k]) * f32(C[k,l]) : f32[j=9,l=7]\n"
      "[i=8,j=9,l=7] out.2[i,l] = sum[j] f32(A[i,j]) * out.1[j,l] : f32[i=8,l=7]\n"
      "out[i,l] = f16(out.2[i,l]) : f16[i=8,l=7]\n");
}

TEST(ContractionPath, KeepsCastsOfOperands) {
  EXPECT_EQ(after(kRule,
                  "%0 = input A : i16[i=8,j=9]\n%1 = input B : f32[j=9,k=10]\n%2 = input C : "
                  "f32[k=10,l=7]\n"
                  "%3 = einsum(%0, %1, %2) {out[i,l] = sum[j,k] f32(A[i,j]) * B[j,k] * C[k,l]} : "
                  "f32[i=8,l=7]\n"
                  "output(%3) out\n"),
            "[j=9,k=10,l=7] out.1[j,l] = sum[k] B[j,k] * C[k,l] : f32[j=9,l=7]\n"
            "[i=8,j=9,l=7] out[i,l] = sum[j] f32(A[i,j]) * out.1[j,l] : f32[i=8,l=7]\n");
}

TEST(ContractionPath, WorksInOtherSemirings) {
  EXPECT_EQ(
      after(kRule,
            "%0 = input A : f32[i=8,j=9]\n%1 = input B : f32[j=9,k=10]\n%2 = input C : f32[k=10]\n"
            "%3 = einsum(%0, %1, %2) {out[i] = min[j,k] (A[i,j] + B[j,k] + C[k])} : f32[i=8]\n"
            "output(%3) out\n"),
      "out.1[j] = min[k] (B[j,k] + C[k]) : f32[j=9]\n"
      "out[i] = min[j] (A[i,j] + out.1[j]) : f32[i=8]\n");
}

TEST(ContractionPath, ReadsOneVertexAtSeveralPlaces) {
  EXPECT_EQ(after(kRule,
                  "%0 = input A : f32[i=8,j=8]\n"
                  "%1 = einsum(%0, %0, %0) {[i=8,j=8,k=8,l=8] out[i,l] = sum[j,k] x0[i,j] * "
                  "x1[j,k] * x2[k,l]} : f32[i=8,l=8]\n"
                  "output(%1) out\n"),
            "[i=8,j=8,k=8] out.1[i,k] = sum[j] A[i,j] * A[j,k] : f32[i=8,k=8]\n"
            "[i=8,k=8,l=8] out[i,l] = sum[k] out.1[i,k] * A[k,l] : f32[i=8,l=8]\n");
}

struct Refusal {
  std::string statement;
  std::string type;
  std::string reason;
};

TEST(ContractionPath, SaysWhyItDoesNotApply) {
  const std::string inputs =
      "%0 = input A : f32[i=8,j=9]\n%1 = input B : f32[j=9,k=10]\n%2 = input C : f32[k=10]\n%3 = "
      "input D : f32[e=0,j=9]\n";
  const std::vector<Refusal> cases = {
      {"(%0, %1) {out[i,k] = sum[j] A[i,j] * B[j,k]}", "f32[i=8,k=10]",
       "a product of two operands as it is"},
      {"(%0, %1, %2) {out[i] = max[j,k] A[i,j] * B[j,k] * C[k]}", "f32[i=8]",
       "not a reduced product whose factors have different labels"},
      {"(%0, %1, %2) {out[i] = mean[j,k] A[i,j] * B[j,k] * C[k]}", "f32[i=8]",
       "not a reduced product whose factors have different labels"},
      {"(%0, %1) {out[i] = sum[j,k] exp(A[i,j]) * B[j,k]}", "f32[i=8]",
       "not a reduced product whose factors have different labels"},
      {"(%0) {out[i] = sum[j] A[i,j]}", "f32[i=8]",
       "not a reduced product whose factors have different labels"},
      {"(%0, %0, %0) {[i=8,j=9] out[] = sum[i,j] x0[i,j] * x1[i,j] * x2[i,j]}", "f32[]",
       "not a reduced product whose factors have different labels"},
      {"(%1, %3) {out[k] = sum[e,j] B[j,k] * D[e,j]}", "f32[k=10]",
       "a label has extent 0: there is nothing to save"},
      {"(%0, %2) {[i=4,j=9,k=3] out[i] = sum[j,k] A[i+k,j] * C[k]}", "f32[i=4]",
       "operand 1 is read through a window"},
  };
  for (const Refusal& each : cases) {
    EXPECT_EQ(
        reason(kRule,
               inputs + "%4 = einsum" + each.statement + " : " + each.type + "\noutput(%4) out\n",
               "out"),
        each.reason)
        << each.statement;
  }
}

const std::string kChain =
    "%0 = input A : f32[i=40,j=8]\n%1 = input B : f32[j=8,k=40]\n%2 = input C : f32[k=40,l=9]\n"
    "%3 = einsum(%0, %1, %2) {out[i,l] = sum[j,k] A[i,j] * B[j,k] * C[k,l]} : f32[i=40,l=9]\n"
    "output(%3) out\n";

Optimized with_largest_intermediate(const std::string& text, int64_t bytes) {
  OptimizeOptions options;
  options.largest_intermediate_bytes = bytes;
  return optimize(graph_of(text), all_rules(), options);
}

TEST(ContractionPath, KeepsIntermediatesWithinABoundWhereAnOrderDoes) {
  const Optimized fits = with_largest_intermediate(kChain, 4 * 72);
  EXPECT_EQ(statements_of(fits.graph),
            "[j=8,k=40,l=9] out.1[j,l] = sum[k] B[j,k] * C[k,l] : f32[j=8,l=9]\n"
            "[i=40,j=8,l=9] out[i,l] = sum[j] A[i,j] * out.1[j,l] : f32[i=40,l=9]\n");
  EXPECT_TRUE(std::none_of(fits.report.reasons.begin(), fits.report.reasons.end(),
                           [](const Reason& each) { return each.rule == kRule; }));
}

TEST(ContractionPath, SaysWhichBoundCanBeKeptWhereTheWantedOneCannot) {
  const Optimized large = with_largest_intermediate(kChain, 4 * 72 - 1);
  EXPECT_EQ(large.report.applications.at(kRule), 1);
  const auto note = std::find_if(large.report.reasons.begin(), large.report.reasons.end(),
                                 [](const Reason& each) { return each.rule == kRule; });
  ASSERT_NE(note, large.report.reasons.end());
  EXPECT_EQ(note->vertex, "out");
  EXPECT_EQ(note->text,
            "no order keeps every intermediate within 71 elements: this one has the smallest "
            "largest, of 72");
}

}  // namespace
}  // namespace tessera::optimizer
