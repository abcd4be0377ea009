#include "optimizer/tra/reproducible.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/reduction_order.h"
#include "ir/einsum/text.h"
#include "ir/tra/text.h"
#include "ir/tra/verify.h"
#include "optimizer/lowering/to_tra.h"
#include "unit/expr/registries.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer::reproducible_test {
namespace {

einsum::Graph product() {
  return graph_of(
      "%0 = input A : f32[i=100,k=3000]\n"
      "%1 = input B : f32[k=3000,j=50]\n"
      "%2 = einsum(%0, %1) {C[i,j] = sum[k] A[i,k] * B[k,j]} : f32[i=100,j=50]\n"
      "output(%2) C\n");
}

/// The length of the pieces of every label of the last statement, whose labels are i, j and k or
/// what the text names first.
std::vector<int64_t> rounded(const einsum::Graph& graph,
                             const std::map<std::string, int64_t>& lengths) {
  return reproducible_partitioning(graph, partition::partitioning_by_label(graph, lengths),
                                   expr::all_aggregates())
      .piece_lengths.back();
}

using Lengths = std::vector<int64_t>;

TEST(ReproduciblePartitioning, CutsSumsBetweenSubtrees) {
  EXPECT_EQ(rounded(product(), {{"i", 7}, {"k", 1}}), (Lengths{7, 50, 512}));
  EXPECT_EQ(rounded(product(), {{"k", 512}}), (Lengths{100, 50, 512}));
  EXPECT_EQ(rounded(product(), {{"k", 513}}), (Lengths{100, 50, 1024}));
  EXPECT_EQ(rounded(product(), {{"k", 1025}}), (Lengths{100, 50, 2048}));
  EXPECT_EQ(rounded(product(), {{"k", 2049}}), (Lengths{100, 50, 3000}));
  EXPECT_EQ(rounded(product(), {}), (Lengths{100, 50, 3000}));
}

TEST(ReproduciblePartitioning, OtherReducedLabelsStayWhole) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f64[a=20,b=4000]\n"
      "%1 = einsum(%0) {S[] = sum[a,b] X[a,b]} : f64[]\n"
      "output(%1) S\n");
  EXPECT_EQ(rounded(graph, {{"a", 3}, {"b", 30}}), (Lengths{20, 32}));
}

TEST(ReproduciblePartitioning, ExactReductionsAreCutAnywhere) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : i32[a=20,b=4000]\n"
      "%1 = einsum(%0) {S[] = sum[a,b] X[a,b]} : i32[]\n"
      "output(%1) S\n");
  EXPECT_EQ(rounded(graph, {{"a", 3}, {"b", 30}}), (Lengths{3, 30}));
}

TEST(ReproduciblePartitioning, AStateThatIsStoredNarrowIsNotCut) {
  const einsum::Graph graph = einsum::parse_graph(
      {"g",
       "einsum aggregate={plus:f16 by plus:f16 (a, b) -> a + b identity 0; (x, i) -> x; (a) -> a}\n"
       "%0 = input X : f16[b=4000]\n"
       "%1 = einsum(%0) {S[] = plus[b] X[b]} : f16[]\n"
       "output(%1) S\n"},
      expr::all_functions(), expr::all_aggregates());
  EXPECT_EQ(rounded(graph, {{"b", 512}}), (Lengths{4000}));
}

TEST(WithStatedOrder, SaysLeavesAndTrees) {
  const einsum::Graph graph = product();
  const tra::Graph relations = with_stated_order(
      to_tra(graph,
             reproducible_partitioning(graph, partition::partitioning_by_label(graph, {{"k", 600}}),
                                       expr::all_aggregates())),
      expr::all_aggregates());
  const std::string text = ir::to_text(tra::describe(relations, expr::all_aggregates()));
  EXPECT_NE(text.find("sum[k; leaf k=512]"), std::string::npos) << text;
  EXPECT_NE(text.find("order=tree"), std::string::npos) << text;
}

tra::Graph relations_of(const std::string& text) {
  return tra::parse_graph({"g", text}, expr::all_functions(), expr::all_aggregates());
}

TEST(WithStatedOrder, SaysLeavesOfTransforms) {
  const tra::Graph relations = with_stated_order(
      relations_of("tra\n%0 = input X : (i:2x2) -> f32[i=4,j=3000]\n"
                   "%1 = transform(%0) kernel={o[i] = sum[j] x0[i,j]}\noutput(%1) Y\n"),
      expr::all_aggregates());
  const std::string text = ir::to_text(tra::describe(relations, expr::all_aggregates()));
  EXPECT_NE(text.find("sum[j; leaf j=512]"), std::string::npos) << text;
  EXPECT_TRUE(tra::verify_order(relations, expr::all_aggregates()).empty());
}

TEST(WithStatedOrder, RefusesACutStateThatIsStoredNarrow) {
  const tra::Graph relations = relations_of(
      "tra aggregate={plus:f16 (a, b) -> a + b identity 0}\n"
      "%0 = input X : (b:2x512) -> f16[b=1024]\n"
      "%1 = join(%0) on=(b) kernel={o[] = plus[b] x0[b]} : (b:2x512) -> f16[]\n"
      "%2 = aggregate(%1) keep=() by=plus:f16\noutput(%2) Y\n");
  try {
    with_stated_order(relations, expr::all_aggregates());
    FAIL() << "every piece is rounded";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("label b is cut, but plus is rounded to f16 for every piece"),
              std::string::npos)
        << error.message();
  }
}

TEST(WithStatedOrder, RefusesOtherCuts) {
  const einsum::Graph graph = product();
  const tra::Graph relations = to_tra(graph, partition::partitioning_by_label(graph, {{"k", 600}}));
  try {
    with_stated_order(relations, expr::all_aggregates());
    FAIL() << "cuts inside a leaf";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_NE(error.message().find("every 512 positions"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace tessera::optimizer::reproducible_test
