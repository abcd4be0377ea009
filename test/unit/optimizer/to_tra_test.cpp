#include "optimizer/lowering/to_tra.h"

#include <set>

#include <gtest/gtest.h>

#include "unit/optimizer/rewriting.h"

// What it makes: test/plans.

namespace tessera::optimizer::to_tra_test {
namespace {

TEST(ToTra, MakesEveryGridOnce) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[i=100,j=30]\n"
      "%1 = einsum(%0) {A[i,j] = exp(X[i,j])} : f32[i=100,j=30]\n"
      "%2 = einsum(%1) {B[i] = sum[j] A[i,j]} : f32[i=100]\n"
      "%3 = einsum(%1, %2) {C[i,j] = A[i,j] / B[i]} : f32[i=100,j=30]\n"
      "output(%3) C\n");
  const tra::Graph relations = to_tra(graph, partition::partitioning_by_label(graph, {{"i", 7}}));
  std::set<const ModeGrid*> grids;
  for (const tra::Node& node : relations.nodes) {
    for (const tra::KeyDim& dim : node.type.key) {
      grids.insert(tra::grid_of(dim));
    }
  }
  EXPECT_EQ(grids.size(), 2u);  // of i and of j
}

}  // namespace
}  // namespace tessera::optimizer::to_tra_test
