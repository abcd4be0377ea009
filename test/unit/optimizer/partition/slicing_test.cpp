#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/partition.h"
#include "optimizer/partition/slicing/ways_to_slice.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer::partition::slicing_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

/// P is 64 x 64 numbers, 16 KiB; i runs through both statements, under another name in the second.
constexpr const char* kChain =
    "%0 = input A : f32[i=64,j=8]\n%1 = input B : f32[j=8,k=64]\n%2 = input C : f32[k=64,l=4]\n"
    "%3 = einsum(%0, %1) {P[i,k] = sum[j] A[i,j] * B[j,k]} : f32[i=64,k=64]\n"
    "%4 = einsum(%3, %2) {Q[l,r] = sum[k] P[r,k] * C[k,l]} : f32[l=4,r=64]\noutput(%4) Q\n";

std::vector<std::string> names_of(const einsum::Graph& graph, const std::vector<Slice>& way) {
  std::vector<std::string> names;
  for (const Slice& slice : way) {
    const auto& einsum = std::get<einsum::EinSum>(graph.at(slice.vertex).op);
    names.push_back(einsum.labels[static_cast<size_t>(slice.label)].name + ":" +
                    std::to_string(slice.length));
  }
  return names;
}

TEST(Slicing, CutsTheLabelsOfAnIntermediateAsFarAsTheBoundAsks) {
  const einsum::Graph graph = graph_of(kChain);
  const std::vector<std::vector<Slice>> ways = ways_to_slice(graph, 4096);
  std::vector<std::vector<std::string>> names;
  for (const std::vector<Slice>& way : ways) {
    names.push_back(names_of(graph, way));
  }
  EXPECT_THAT(names, UnorderedElementsAre(std::vector<std::string>{"i:16"},
                                          std::vector<std::string>{"k:16"}));
}

TEST(Slicing, TakesMoreLabelsWhereOneIsNotEnough) {
  const std::vector<std::vector<Slice>> ways = ways_to_slice(graph_of(kChain), 16);
  ASSERT_FALSE(ways.empty());
  for (const std::vector<Slice>& way : ways) {
    EXPECT_THAT(way, SizeIs(2));
  }
}

TEST(Slicing, HasNoWayWhereNothingIsMadeAndRead) {
  EXPECT_THAT(ways_to_slice(graph_of("%0 = input A : f32[i=64,j=64]\n"
                                     "%1 = einsum(%0) {B[j] = sum[i] A[i,j]} : f32[j=64]\n"
                                     "output(%1) B\n"),
                            64),
              IsEmpty());
}

/// C = sum of a window of A's exponentials: x moves it over `places`, d over the rest.
std::vector<int64_t> pieces_of_window(int64_t places, int32_t cut_statement) {
  const std::string extents = fmt::format("x={},d={}", places, 65 - places);
  const einsum::Graph graph = graph_of(
      fmt::format("%0 = input A : f32[i=64]\n%1 = einsum(%0) {{B[i] = exp(A[i])}} : f32[i=64]\n"
                  "%2 = einsum(%1) {{[{}] C[x] = sum[d] B[x+d]}} : f32[x={}]\noutput(%2) C\n",
                  extents, places));
  PlannerRegistry planners;
  register_all_planners(planners);
  const GraphPartition partition = partition_graph(
      graph, planners, "auto", {1, std::nullopt, std::nullopt, {{einsum::VertexId(1), 0, 16}}});
  return partition.statements[static_cast<size_t>(cut_statement)].pieces;
}

TEST(Slicing, CutsTheLabelThatMovesAWindowFarthestWithWhatItReads) {
  EXPECT_EQ(pieces_of_window(62, 0), std::vector<int64_t>{4});
  EXPECT_EQ(pieces_of_window(62, 1), (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(pieces_of_window(3, 0), std::vector<int64_t>{4});
  EXPECT_EQ(pieces_of_window(3, 1), (std::vector<int64_t>{1, 4}));
}

TEST(Slicing, HoldsForEveryStatementThroughWhichALabelFlows) {
  const einsum::Graph graph = graph_of(kChain);
  PlannerRegistry planners;
  register_all_planners(planners);
  for (const char* const planner : {"auto", "exact", "eindecomp", "sqrt", "data-parallel"}) {
    const GraphPartition partition = partition_graph(
        graph, planners, planner, {1, std::nullopt, std::nullopt, {{einsum::VertexId(3), 0, 16}}});
    const Partitioning& cuts = partition.partitioning;
    EXPECT_EQ(cuts.piece_lengths[3][0], 16) << planner;
    EXPECT_EQ(cuts.piece_lengths[4][1], 16) << planner;  // i, as r of Q[l,r]
    EXPECT_EQ(partition.statements[0].repartition + partition.statements[1].repartition, 0);
    EXPECT_EQ(partition.statements[0].sliced, std::vector<int32_t>{0});
    EXPECT_EQ(partition.statements[1].sliced, std::vector<int32_t>{1});
    EXPECT_EQ(partition.communication_volume, count_partition(graph, cuts).communication_volume);
    EXPECT_LE(partition.lower_bound.value_or(0), partition.cost);
  }
}

TEST(Slicing, DividesASliceAmongTheCallsThatAreAskedFor) {
  const einsum::Graph graph = graph_of(kChain);
  PlannerRegistry planners;
  register_all_planners(planners);
  const GraphPartition partition = partition_graph(
      graph, planners, "exact", {1, 2, std::nullopt, {{einsum::VertexId(3), 0, 16}}});
  int64_t calls = 1;
  for (const int64_t pieces : partition.statements[0].pieces) {
    calls *= pieces;
  }
  EXPECT_EQ(calls, 4 * 2);
}

}  // namespace
}  // namespace tessera::optimizer::partition::slicing_test
