#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/einsum/text.h"
#include "ir/ia/text.h"
#include "ir/tra/text.h"
#include "unit/expr/registries.h"

/// The order of sums as the stages say it.
namespace tessera::merge_order_test {
namespace {

constexpr const char* kTree =
    "tra\n"
    "%0 = input X : (i:2x512) -> f32[i=1024]\n"
    "%1 = join(%0) on=(i) kernel={o[] = sum[i; leaf i=512] x0[i]} : (i:2x512) -> f32[]\n"
    "%2 = aggregate(%1) keep=() by=sum:f32 order=tree : () -> f32[]\n"
    "output(%2) S\n";

constexpr const char* kPlacedTree =
    "ia sites=1\n"
    "%0 = input X : (i:2x512) -> f32[i=1024]\n"
    "%1 = local_join(%0) on=(i) kernel={o[] = sum[i; leaf i=512] x0[i]} : (i:2x512) -> "
    "f32[]\n"
    "%2 = local_aggregate(%1) keep=() by=sum:f32 order=tree : () -> f32[]\n"
    "output(%2) S\n";

TEST(MergeOrder, IsReprintedAsItWas) {
  const tra::Graph graph =
      tra::parse_graph({"g", kTree}, expr::all_functions(), expr::all_aggregates());
  EXPECT_EQ(std::get<tra::Aggregate>(graph.nodes[2].op).order, tra::MergeOrder::tree);
  EXPECT_EQ(ir::to_text(tra::describe(graph, expr::all_aggregates())), kTree);
  const ia::Graph placed =
      ia::parse_graph({"g", kPlacedTree}, expr::all_functions(), expr::all_aggregates());
  EXPECT_EQ(ir::to_text(ia::describe(placed, expr::all_aggregates())), kPlacedTree);
}

TEST(MergeOrder, OneAfterTheOtherIsNotWritten) {
  std::string text = kTree;
  text.erase(text.find(" order=tree"), 11);
  const tra::Graph graph =
      tra::parse_graph({"g", text}, expr::all_functions(), expr::all_aggregates());
  EXPECT_EQ(std::get<tra::Aggregate>(graph.nodes[2].op).order, tra::MergeOrder::sequence);
  EXPECT_EQ(ir::to_text(tra::describe(graph, expr::all_aggregates())), text);
}

template <class Parse>
std::string error_of(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(MergeOrder, ErrorsSayWhatStandsWhere) {
  std::string text = kTree;
  text.replace(text.find("order=tree"), 10, "order=heap");
  EXPECT_NE(error_of([&] {
              tra::parse_graph({"g", text}, expr::all_functions(), expr::all_aggregates());
            }).find("expected 'tree'"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              einsum::parse_graph({"g",
                                   "einsum\n%0 = input X : f32[i=8]\n"
                                   "%1 = einsum(%0) {S[] = sum[i; leaf i=4] X[i]} : f32[]\n"
                                   "output(%1) S\n"},
                                  expr::all_functions(), expr::all_aggregates());
            }).find("a statement over tensors has no leaf"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::merge_order_test
