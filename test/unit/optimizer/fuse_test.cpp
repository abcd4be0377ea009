#include "optimizer/tra/fuse.h"

#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/tra/text.h"
#include "unit/known.h"

// Where the step fires: test/plans/rules/fuse.test.

namespace tessera::optimizer::fuse_test {
namespace {

tra::Graph fused(const tra::Graph& graph) {
  return fuse(graph, known().context, Subexpressions::shared).graph;
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

/// How often kernels are asked to read a program while a graph is fused.
int64_t num_reads(const std::string& nodes) {
  int64_t reads = 0;
  kernels::Registry counting;
  for (kernels::Kernel kernel : known().kernels.all()) {
    kernel.reader = [&reads, read = kernel.reader](const auto&... what) {
      ++reads;
      return read(what...);
    };
    counting.add(std::move(kernel));
  }
  fuse(graph_of(nodes), {known().functions, known().aggregates, counting, known().machine},
       Subexpressions::shared);
  return reads;
}

/// Statements that read the input, each with what follows it.
std::string pairs(int count, bool has_second) {
  std::string nodes = kX;
  std::string outputs;
  for (int number = 1; number <= count; ++number) {
    const int first = has_second ? 2 * number - 1 : number;
    nodes += fmt::format(
        "%{} = join(%0) on=(i,j) kernel={{o[i,j] = exp(x0[i,j])}} : (i:1x8192,j:1x4096) -> "
        "f32[i=8192,j=4096]   # E{}\n",
        first, number);
    if (has_second) {
      nodes += fmt::format(
          "%{} = join(%{}) on=(i,j) kernel={{o[i] = sum[j] x0[i,j]}} : (i:1x8192) -> "
          "f32[i=8192]   # S{}\n",
          first + 1, first, number);
    }
    outputs += fmt::format("output(%{}) Y{}\n", has_second ? first + 1 : first, number);
  }
  return nodes + outputs;
}

TEST(Fuse, ReadsNoProgramOfAStatementThatReadsNoOther) {
  EXPECT_EQ(num_reads(pairs(5, false)), 0);
}

TEST(Fuse, ReadsEqualProgramsOnce) {
  const int64_t once = num_reads(pairs(1, true));
  EXPECT_GT(once, 0);
  EXPECT_EQ(num_reads(pairs(4, true)), once);
}

}  // namespace
}  // namespace tessera::optimizer::fuse_test
