#include "optimizer/tra/fuse.h"

#include <gtest/gtest.h>

#include "ir/tra/text.h"
#include "unit/known.h"

// Where the step fires: test/plans/rules/fuse.test.

namespace tessera::optimizer {
namespace {

tra::Graph fused(const tra::Graph& graph) {
  return fuse(graph, known().context).graph;
}

tra::Graph graph_of(const std::string& nodes) {
  return tra::parse_graph({"test", "tra\n" + nodes}, expr::all_functions(), expr::all_aggregates());
}

const std::string kX = "%0 = input X : (i:1x8192,j:1x4096) -> f32[i=8192,j=4096]   # X\n";

TEST(Fuse, NothingIsLeftNothing) {
  EXPECT_EQ(fused({}), tra::Graph{});
  EXPECT_EQ(fused(graph_of(kX + "output(%0) X\n")), graph_of(kX + "output(%0) X\n"));
}

TEST(Fuse, WhatIsFusedIsLeftAsItIs) {
  const tra::Graph once =
      fused(graph_of(
          kX + "%1 = join(%0) on=(i,j) kernel={o[i,j] = exp(x0[i,j])} : (i:1x8192,j:1x4096) -> "
               "f32[i=8192,j=4096]   # E\n"
               "%2 = join(%1) on=(i,j) kernel={o[i] = sum[j] x0[i,j]} : (i:1x8192) -> "
               "f32[i=8192]   # S\noutput(%2) S\n"));
  EXPECT_EQ(once.nodes.size(), 2u);
  EXPECT_EQ(fused(once), once);
}

}  // namespace
}  // namespace tessera::optimizer
