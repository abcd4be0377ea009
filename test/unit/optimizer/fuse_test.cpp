#include "optimizer/tra/fuse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/tra/text.h"
#include "ir/tra/verify.h"
#include "unit/expr/registries.h"

/// Text in, text out; large extents, so that fusing pays unless the test is about that.
namespace tessera::optimizer {
namespace {

using testing::HasSubstr;

const kernels::Registry& all_kernels() {
  static const kernels::Registry registry = [] {
    kernels::Registry all;
    kernels::register_all_kernels(all);
    return all;
  }();
  return registry;
}

tra::Graph graph_of(const std::string& nodes) {
  return tra::parse_graph({"test", "tra\n" + nodes}, expr::all_functions(), expr::all_aggregates());
}

std::string text_of(const tra::Graph& graph) {
  std::string text = ir::to_text(tra::describe(graph, expr::all_aggregates()));
  return text.substr(text.find('\n') + 1);
}

/// The nodes after fusing; what is made is verified, and is left as it is by a second time.
std::string fused(const std::string& nodes) {
  const tra::Graph graph = fuse(graph_of(nodes), all_kernels()).graph;
  EXPECT_THAT(tra::verify(graph, expr::all_functions()), testing::IsEmpty()) << text_of(graph);
  EXPECT_EQ(text_of(fuse(graph, all_kernels()).graph), text_of(graph));
  return text_of(graph);
}

/// Why a statement was left apart.
std::string reason(const std::string& nodes, const std::string& statement) {
  for (const Reason& reason : fuse(graph_of(nodes), all_kernels()).reasons) {
    if (reason.vertex == statement) {
      return reason.text;
    }
  }
  return "";
}

/// Nothing changes, for that reason.
void expect_apart(const std::string& nodes, const std::string& statement, const std::string& why) {
  EXPECT_EQ(fused(nodes), text_of(graph_of(nodes)));
  EXPECT_THAT(reason(nodes, statement), HasSubstr(why));
}

const std::string kX = "%0 = input X : (i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # X\n";
const std::string kRowsOfX = "%0 = input X : (i:4x2048,j:1x4096) -> f32[i=8192,j=4096]   # X\n";

/// A softmax whose rows are whole.
std::string softmax(const std::string& x, const std::string& i) {
  return x + "%1 = join(%0) on=(i,j) kernel={o[i] = max[j] x0[i,j]} : (" + i +
         ") -> f32[i=8192]   # largest\n"
         "%2 = join(%0, %1) on=(i,j; i) kernel={o[i,j] = exp(x0[i,j] - x1[i])} : (" +
         i +
         ",j:1x4096) -> f32[i=8192,j=4096]   # E\n"
         "%3 = join(%2) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (" +
         i +
         ") -> f32[i=8192]   # Y.1\n"
         "%4 = join(%2, %3) on=(i,j; i) kernel={o[i,j] = x0[i,j] / x1[i]} : (" +
         i + ",j:1x4096) -> f32[i=8192,j=4096]   # Y\noutput(%4) Y\n";
}

const std::string kAttention =
    "%0 = input Q : (h:1x8,s:1x2048,d:1x64) -> f32[h=8,s=2048,d=64]   # Q\n"
    "%1 = input K : (h:1x8,t:1x2048,d:1x64) -> f32[h=8,t=2048,d=64]   # K\n"
    "%2 = input V : (h:1x8,t:1x2048,d:1x64) -> f32[h=8,t=2048,d=64]   # V\n"
    "%3 = join(%0, %1) on=(h,s,d; h,t,d) kernel={o[h,s,t] = sum[d] x0[h,s,d] * x1[h,t,d]} : "
    "(h:1x8,s:1x2048,t:1x2048) -> f32[h=8,s=2048,t=2048]   # S\n"
    "%4 = join(%3) on=(h,s,t) kernel={o[h,s] = max[t] x0[h,s,t]} : (h:1x8,s:1x2048) -> "
    "f32[h=8,s=2048]   # P.1\n"
    "%5 = join(%3, %4) on=(h,s,t; h,s) kernel={o[h,s,t] = exp(x0[h,s,t] - x1[h,s])} : "
    "(h:1x8,s:1x2048,t:1x2048) -> f32[h=8,s=2048,t=2048]   # P.2\n"
    "%6 = join(%5) on=(h,s,t) kernel={o[h,s] = sum[t] x0[h,s,t]} : (h:1x8,s:1x2048) -> "
    "f32[h=8,s=2048]   # P.3\n"
    "%7 = join(%5, %6) on=(h,s,t; h,s) kernel={o[h,s,t] = x0[h,s,t] / x1[h,s]} : "
    "(h:1x8,s:1x2048,t:1x2048) -> f32[h=8,s=2048,t=2048]   # P\n"
    "%8 = join(%7, %2) on=(h,s,t; h,t,d) kernel={o[h,s,d] = sum[t] x0[h,s,t] * x1[h,t,d]} : "
    "(h:1x8,s:1x2048,d:1x64) -> f32[h=8,s=2048,d=64]   # Y\noutput(%8) Y\n";

TEST(Fuse, ASoftmaxIsOneJoin) {
  EXPECT_EQ(fused(softmax(kX, "i:1x8192")),
            "%0 = input X : (i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # X\n"
            "%1 = join(%0) on=(i,j) kernel={t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - "
            "t0[i]); t2[i] =\n"
            "      sum[j] t1[i,j]; o[i,j] = t1[i,j] / t2[i]} : (i:1x8192,j:1x4096) -> "
            "f32[i=8192,j=4096]\n"
            "      # largest+E+Y\n"
            "output(%1) Y\n");
}

TEST(Fuse, ASoftmaxOfRowsInPiecesIsOneJoin) {
  EXPECT_EQ(fused(softmax(kRowsOfX, "i:4x2048")),
            "%0 = input X : (i:4x2048,j:1x4096) -> f32[i=8192,j=4096]   # X\n"
            "%1 = join(%0) on=(i,j) kernel={t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - "
            "t0[i]); t2[i] =\n"
            "      sum[j] t1[i,j]; o[i,j] = t1[i,j] / t2[i]} : (i:4x2048,j:1x4096) -> "
            "f32[i=8192,j=4096]\n"
            "      # largest+E+Y\n"
            "output(%1) Y\n");
}

TEST(Fuse, WhatSeveralStatementsComputeIsComputedOnce) {
  EXPECT_EQ(
      fused(kX +
            "%1 = join(%0) on=(i,j) kernel={o[i] = max[j] x0[i,j]} : (i:1x8192) -> f32[i=8192]   "
            "# Y.1\n"
            "%2 = join(%0, %1) on=(i,j; i) kernel={o[i] = sum[j] exp(x0[i,j] - x1[i])} : "
            "(i:1x8192) -> f32[i=8192]   # Y.2\n"
            "%3 = join(%0, %1, %2) on=(i,j; i; i) kernel={o[i,j] = exp(x0[i,j] - x1[i]) / x2[i]} "
            ": (i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # Y\noutput(%3) Y\n"),
      "%0 = input X : (i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # X\n"
      "%1 = join(%0) on=(i,j) kernel={t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - "
      "t0[i]); t2[i] =\n"
      "      sum[j] t1[i,j]; o[i,j] = t1[i,j] / t2[i]} : (i:1x8192,j:1x4096) -> "
      "f32[i=8192,j=4096]   # Y\n"
      "output(%1) Y\n");
}

TEST(Fuse, WhatIsCheapIsComputedAgain) {
  // A sum of two numbers takes less than to keep it.
  const std::string text =
      kX +
      "%1 = join(%0) on=(i,j) kernel={o[i] = sum[j] (x0[i,j] + x0[i,j])} : (i:1x8192) -> "
      "f32[i=8192]   # s\n"
      "%2 = join(%0, %1) on=(i,j; i) kernel={o[i,j] = (x0[i,j] + x0[i,j]) / x1[i]} : "
      "(i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # Y\noutput(%2) Y\n";
  EXPECT_THAT(fused(text), HasSubstr("{t0[i] = sum[j] (x0[i,j] + x0[i,j]); o[i,j] = (x0[i,j] + "));
}

TEST(Fuse, NothingIsLeftNothing) {
  EXPECT_EQ(fused(""), "");
  EXPECT_EQ(fused(kX + "output(%0) X\n"), text_of(graph_of(kX + "output(%0) X\n")));
}

TEST(Fuse, ScoresOfAnAttentionAreNoTensor) {
  EXPECT_EQ(
      fused(kAttention),
      "%0 = input Q : (h:1x8,s:1x2048,d:1x64) -> f32[h=8,s=2048,d=64]   # Q\n"
      "%1 = input K : (h:1x8,t:1x2048,d:1x64) -> f32[h=8,t=2048,d=64]   # K\n"
      "%2 = input V : (h:1x8,t:1x2048,d:1x64) -> f32[h=8,t=2048,d=64]   # V\n"
      "%3 = join(%0, %1, %2) on=(h,s,d; h,_,d; h,_,d) kernel={[h=8,s=2048,d=64,t=2048] "
      "(f32,f32,f32)\n"
      "      t0[h,s,t] = sum[d] x0[h,s,d] * x1[h,t,d]; t1[h,s] = max[t] t0[h,s,t]; t2[h,s,t] =\n"
      "      exp(t0[h,s,t] - t1[h,s]); t3[h,s] = sum[t] t2[h,s,t]; t4[h,s,t] = t2[h,s,t] / "
      "t3[h,s];\n"
      "      o[h,s,d] = sum[t] t4[h,s,t] * x2[h,t,d]} : (h:1x8,s:1x2048,d:1x64) -> "
      "f32[h=8,s=2048,d=64]\n"
      "      # S+P+Y\n"
      "output(%3) Y\n");
}

TEST(Fuse, AFinaliseJoinsInAsAStatement) {
  EXPECT_EQ(fused(kX + "%1 = join(%0) on=(i,j) kernel={(o0,o1)[i] = mean[j] (x0[i,j], 1:i64)} : "
                       "(i:1x8192) -> (f32[i=8192],i64[i=8192])   # m\n"
                       "%2 = transform(%1) kernel={o[i] = x0[i] / f32(x1[i])} : (i:1x8192) -> "
                       "f32[i=8192]   # m\n"
                       "%3 = join(%0, %2) on=(i,j; i) kernel={o[i,j] = x0[i,j] - x1[i]} : "
                       "(i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # Y\noutput(%3) Y\n"),
            "%0 = input X : (i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # X\n"
            "%1 = join(%0) on=(i,j) kernel={(t0,t1)[i] = mean[j] (x0[i,j], 1:i64); t2[i] = t0[i] / "
            "f32(t1[i]);\n"
            "      o[i,j] = x0[i,j] - t2[i]} : (i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # m+Y\n"
            "output(%1) Y\n");
}

TEST(Fuse, LabelsTakeTheNamesOfTheResult) {
  // %1 calls rows p and columns i; %2 reads it as (j,k).
  EXPECT_EQ(fused("%0 = input X : (a:4x2048,b:1x4096) -> f32[a=8192,b=4096]   # X\n"
                  "%1 = join(%0) on=(p,i) kernel={o[p,i] = exp(x0[p,i])} : (p:4x2048,i:1x4096) -> "
                  "f32[p=8192,i=4096]   # E\n"
                  "%2 = join(%1) on=(j,k) kernel={o[j] = sum[k] x0[j,k]} : (j:4x2048) -> "
                  "f32[j=8192]   # S\noutput(%2) S\n"),
            "%0 = input X : (a:4x2048,b:1x4096) -> f32[a=8192,b=4096]   # X\n"
            "%1 = join(%0) on=(j,_) kernel={t0[j,k] = exp(x0[j,k]); o[j] = sum[k] t0[j,k]}\n"
            "      : (j:4x2048) -> f32[j=8192]   # E+S\n"
            "output(%1) S\n");
}

TEST(Fuse, TheSumOfAProductIsStillMergedByItsAggregate) {
  EXPECT_EQ(fused(kRowsOfX +
                  "%1 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:4x2048,j:1x4096) -> "
                  "f32[i=8192,j=4096]   # E\n"
                  "%2 = join(%1) on=(i,j) kernel={o[j] = sum[i] x0[i,j]} : (i:4x2048,j:1x4096) -> "
                  "f32[j=4096]   # S\n"
                  "%3 = aggregate(%2) keep=(j) by=sum:f32 : (j:1x4096) -> f32[j=4096]   # S\n"
                  "output(%3) S\n"),
            "%0 = input X : (i:4x2048,j:1x4096) -> f32[i=8192,j=4096]   # X\n"
            "%1 = join(%0) on=(i,j) kernel={[j=4096,i=8192] (f32) t0[i,j] = exp(x0[i,j]); o[j] = "
            "sum[i] t0[i,j]}\n"
            "      : (i:4x2048,j:1x4096) -> f32[j=4096]   # E+S\n"
            "%2 = aggregate(%1) keep=(j) by=sum:f32 : (j:1x4096) -> f32[j=4096]   # S\n"
            "output(%2) S\n");
}

// Each condition, and what it keeps apart.

TEST(Fuse, APartialResultWaitsForTheOtherKeys) {
  // j is cut: every tile of Y needs the sums of all tiles of its row.
  expect_apart(
      "%0 = input X : (i:1x8192,j:2x2048) -> f32[i=8192,j=4096]   # X\n"
      "%1 = join(%0) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (i:1x8192,j:2x2048) -> "
      "f32[i=8192]   # s\n"
      "%2 = aggregate(%1) keep=(i) by=sum:f32 : (i:1x8192) -> f32[i=8192]   # s\n"
      "%3 = join(%0, %2) on=(i,j; i) kernel={o[i,j] = x0[i,j] / x1[i]} : "
      "(i:1x8192,j:2x2048) -> f32[i=8192,j=4096]   # Y\noutput(%3) Y\n",
      "s", "");
}

const std::string kE =
    "%1 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:1x8192,j:1x4096) -> "
    "f32[i=8192,j=4096]   # E\n";
const std::string kS =
    "%2 = join(%1) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (i:1x8192) -> f32[i=8192]   # S\n";

TEST(Fuse, AResultIsATensor) {
  expect_apart(kX + kE + kS + "output(%1) E\noutput(%2) S\n", "E", "it is a result");
}

TEST(Fuse, WhatOthersReadIsATensor) {
  expect_apart(kX + kE + kS +
                   "%3 = join(%1) on=(i,j) kernel={o[j] = max[i] x0[i,j]} : (j:1x4096) -> "
                   "f32[j=4096]   # M\noutput(%2) S\noutput(%3) M\n",
               "E", "reads it too");
}

TEST(Fuse, ATileForSeveralTilesIsMadeOnce) {
  // Both tiles of Y along j read the same piece of s.
  expect_apart(
      "%0 = input A : (i:1x8192,k:1x512) -> f32[i=8192,k=512]   # A\n"
      "%1 = input X : (i:1x8192,j:2x2048) -> f32[i=8192,j=4096]   # X\n"
      "%2 = join(%0) on=(i,k) kernel={o[i] = sum[k] x0[i,k]} : (i:1x8192) -> "
      "f32[i=8192]   # s\n"
      "%3 = join(%1, %2) on=(i,j; i) kernel={o[i,j] = x0[i,j] / x1[i]} : "
      "(i:1x8192,j:2x2048) -> f32[i=8192,j=4096]   # Y\noutput(%3) Y\n",
      "s", "each of its tiles is read for several tiles");
}

TEST(Fuse, TilesReadAcrossStayApart) {
  // The diagonal tiles of E alone are read.
  expect_apart(
      "%0 = input X : (i:2x2048,j:2x2048) -> f32[i=4096,j=4096]   # X\n"
      "%1 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:2x2048,j:2x2048) -> "
      "f32[i=4096,j=4096]   # E\n"
      "%2 = join(%1) on=(i,i) kernel={o[i] = x0[i,i]} : (i:2x2048) -> "
      "f32[i=4096]   # D\noutput(%2) D\n",
      "E", "read across");
}

TEST(Fuse, ReadByTwoKeysStaysApart) {
  expect_apart(
      "%0 = input X : (i:2x2048,j:2x2048) -> f32[i=4096,j=4096]   # X\n"
      "%1 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:2x2048,j:2x2048) -> "
      "f32[i=4096,j=4096]   # E\n"
      "%2 = join(%1, %1) on=(i,j; j,i) kernel={o[i,j] = x0[i,j] + x1[j,i]} : "
      "(i:2x2048,j:2x2048) -> f32[i=4096,j=4096]   # Y\noutput(%2) Y\n",
      "E", "different keys");
}

TEST(Fuse, ARepartitionIsNoStatementOnSingleTiles) {
  expect_apart(kX + kE +
                   "%2 = repartition(%1) : (i:4x2048,j:1x4096) -> f32[i=8192,j=4096]   # E\n"
                   "%3 = join(%2) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (i:4x2048) -> "
                   "f32[i=8192]   # S\noutput(%3) S\n",
               "S", "");
}

TEST(Fuse, ALongProductKeepsItsBlocks) {
  // Bands of a few rows would bring the whole of B to the core again and again.
  expect_apart(
      "%0 = input A : (i:1x4000,k:1x1000) -> f32[i=4000,k=1000]   # A\n"
      "%1 = input B : (k:1x1000,j:1x4000) -> f32[k=1000,j=4000]   # B\n"
      "%2 = join(%0, %1) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]} : "
      "(i:1x4000,j:1x4000) -> f32[i=4000,j=4000]   # C\n"
      "%3 = join(%2) on=(i,j) kernel={o[i,j] = tanh(x0[i,j])} : (i:1x4000,j:1x4000) -> "
      "f32[i=4000,j=4000]   # Y\noutput(%3) Y\n",
      "C", "one call would take");
}

TEST(Fuse, SmallTilesStayApart) {
  expect_apart(
      "%0 = input X : (i:1x4,j:1x6) -> f32[i=4,j=6]   # X\n"
      "%1 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:1x4,j:1x6) -> "
      "f32[i=4,j=6]   # E\n"
      "%2 = join(%1) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (i:1x4) -> "
      "f32[i=4]   # S\noutput(%2) S\n",
      "E", "one call would take");
}

}  // namespace
}  // namespace tessera::optimizer
