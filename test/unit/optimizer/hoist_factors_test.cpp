#include <gtest/gtest.h>

#include "optimizer/einsum/driver.h"
#include "unit/known.h"
#include "unit/optimizer/rewriting.h"

// Where the rule fires: test/plans/rules/hoist_factors.test.

namespace tessera::optimizer::hoist_factors_test {
namespace {

TEST(HoistFactors, KeepsToTheLargestIntermediate) {
  const einsum::Graph graph = graph_of(
      "%0 = input A : f32[i=8,k=9]\n%1 = input B : f32[k=9,j=10]\n"
      "%2 = einsum(%0, %1) {out[i,j] = sum[k] sin(A[i,k]) * B[k,j]} : f32[i=8,j=10]\n"
      "output(%2) out\n");
  const auto num_vertices = [&](int64_t bytes) {
    OptimizeOptions options;
    options.wishes.largest_intermediate_bytes = bytes;
    return optimize(graph, all_rules(), known().context, options).graph.vertices.size();
  };
  EXPECT_EQ(num_vertices(8 * 9 * 4), 4u);
  EXPECT_EQ(num_vertices(8 * 9 * 4 - 1), 3u);
}

}  // namespace
}  // namespace tessera::optimizer::hoist_factors_test
