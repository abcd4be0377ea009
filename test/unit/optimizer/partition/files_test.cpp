// How the layout of files decides cuts. Nothing is timed: what is compared are cuts and runs of
// bytes.

#include <gtest/gtest.h>

#include "ir/tra/graph.h"
#include "optimizer/lowering/to_tra.h"
#include "optimizer/partition/partition.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer::partition::files_test {
namespace {

GraphPartition partitioned(const einsum::Graph& graph, PartitionOptions options = {}) {
  PlannerRegistry planners;
  register_all_planners(planners);
  options.workers = std::max<int64_t>(options.workers, 2);
  return partition_graph(graph, planners, kDefaultPlanner, options);
}

/// The partition vector of a statement, "n:32 k:1".
std::string cuts_of(const einsum::Graph& graph, const GraphPartition& partition,
                    const std::string& name) {
  std::string text;
  for (const StatementPartition& statement : partition.statements) {
    const einsum::Vertex& vertex = graph.at(statement.vertex);
    if (vertex.name != name) {
      continue;
    }
    const auto& labels = std::get<einsum::EinSum>(vertex.op).labels;
    for (size_t label = 0; label < labels.size(); ++label) {
      text += (text.empty() ? "" : " ") + labels[label].name + ":" +
              std::to_string(statement.pieces[label]);
    }
  }
  return text;
}

TEST(PartitionFiles, TallDataIsCutByRows) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[n=1000000,k=16]\n%1 = input w : f32[k=16]\n"
      "%2 = einsum(%0, %1) {Y[n,k] = X[n,k] * w[k]} : f32[n=1000000,k=16]\noutput(%2) Y\n");
  const GraphPartition result = partitioned(graph);
  EXPECT_EQ(cuts_of(graph, result, "Y"), "n:32 k:1");
  EXPECT_EQ(result.statements[0].reading.runs, 32 + 1);
  EXPECT_EQ(result.statements[0].writing.runs, 32);

  PartitionOptions no_files;
  no_files.has_files = false;
  const GraphPartition narrow = partitioned(graph, no_files);
  EXPECT_EQ(cuts_of(graph, narrow, "Y"), "n:2 k:16");  // it moves 0.003 % less
  EXPECT_LT(narrow.communication_volume, result.communication_volume);
  const GraphPartition counted = count_partition(graph, narrow.partitioning);
  EXPECT_EQ(counted.statements[0].writing.runs, 16'000'000);
  EXPECT_GT(counted.file_seconds, 5 * result.file_seconds);
  EXPECT_GT(counted.cost, result.cost);
}

TEST(PartitionFiles, ColumnMajorDataIsCutByColumns) {
  // Both files have n contiguous.
  const einsum::Graph graph = graph_of(
      "%0 = input X stored=column_major : f32[n=1000,k=16000]\n"
      "%1 = einsum(%0) {Y[k,n] = exp(X[n,k])} : f32[k=16000,n=1000]\noutput(%1) Y\n");
  const GraphPartition result = partitioned(graph);
  EXPECT_EQ(cuts_of(graph, result, "Y"), "k:32 n:1");
  EXPECT_EQ(result.statements[0].reading.runs, 32);
  EXPECT_EQ(result.statements[0].writing.runs, 32);
}

TEST(PartitionFiles, TallReductionsHavePartialResults) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[n=1000000,k=60]\n"
      "%1 = einsum(%0) {m[k] = sum[n] X[n,k]} : f32[k=60]\n"
      "%2 = einsum(%0, %1) {Y[n,k] = X[n,k] - m[k]} : f32[n=1000000,k=60]\noutput(%2) Y\n");
  const GraphPartition result = partitioned(graph);
  EXPECT_EQ(cuts_of(graph, result, "m").substr(0, 4), "k:1 ");
  EXPECT_EQ(cuts_of(graph, result, "Y").find("k:1"), 6U) << cuts_of(graph, result, "Y");
  EXPECT_TRUE(result.partitioning.merged_apart[1]);
  EXPECT_EQ(result.statements[1].repartition, 0);

  const tra::Graph relations = to_tra(graph, result.partitioning);
  const auto* merge = std::get_if<tra::Aggregate>(&relations.nodes[2].op);
  ASSERT_NE(merge, nullptr);
  EXPECT_EQ(merge->order, tra::MergeOrder::tree);
}

TEST(PartitionFiles, RowsOfNarrowColumnsAreReducedInPieces) {
  // Whole columns would be read 8 bytes at a time; sums over n of what is no file follow.
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[n=250000,k=256]\n"
      "%1 = einsum(%0) {h[k] = max[n] X[n,k]} : f32[k=256]\n"
      "%2 = einsum(%0, %1) {E[n,k] = exp(X[n,k] - h[k])} : f32[n=250000,k=256]\n"
      "%3 = einsum(%2) {s[k] = sum[n] E[n,k]} : f32[k=256]\n"
      "%4 = einsum(%2, %3) {Y[n,k] = E[n,k] / s[k]} : f32[n=250000,k=256]\noutput(%4) Y\n");
  const GraphPartition result = partitioned(graph);
  for (const char* name : {"h", "E", "s", "Y"}) {
    EXPECT_NE(cuts_of(graph, result, name).find("k:1"), std::string::npos) << name;
  }
  EXPECT_GT(result.statements[0].handed_on, 0);
}

TEST(PartitionFiles, ASoftmaxOverColumnsIsCutByRowsThroughout) {
  // Long runs of bytes are had by rows; columns of 125 numbers would be as many kernel calls.
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[i=4000,j=4000]\n"
      "%1 = einsum(%0) {h[j] = max[i] X[i,j]} : f32[j=4000]\n"
      "%2 = einsum(%0, %1) {s[j] = sum[i] exp(X[i,j] - h[j])} : f32[j=4000]\n"
      "%3 = einsum(%0, %1, %2) {Y[i,j] = exp(X[i,j] - h[j]) / s[j]} : f32[i=4000,j=4000]\n"
      "output(%3) Y\n");
  const GraphPartition result = partitioned(graph);
  EXPECT_EQ(cuts_of(graph, result, "h"), "j:1 i:32");
  EXPECT_EQ(cuts_of(graph, result, "s"), "j:1 i:32");
  EXPECT_EQ(cuts_of(graph, result, "Y"), "i:32 j:1");
}

TEST(PartitionFiles, RowsStayWholeWhereFilesLetThem) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[i=20000,j=2000]\n"
      "%1 = einsum(%0) {h[i] = max[j] X[i,j]} : f32[i=20000]\noutput(%1) h\n");
  const std::string cuts = cuts_of(graph, partitioned(graph), "h");
  EXPECT_NE(cuts.find("j:1"), std::string::npos) << cuts;
}

TEST(PartitionFiles, ATranspositionKeepsLongRunsOnBothSides) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[i=300,j=400,k=350]\n"
      "%1 = einsum(%0) {Y[k,j,i] = X[i,j,k]} : f32[k=350,j=400,i=300]\noutput(%1) Y\n");
  PartitionOptions no_files;
  no_files.has_files = false;
  const GraphPartition result = partitioned(graph);
  const GraphPartition blind = count_partition(graph, partitioned(graph, no_files).partitioning);
  EXPECT_LT(2 * result.file_seconds, blind.file_seconds);
}

TEST(PartitionFiles, TilesThatAStatementReadsTwiceAreReadOnce) {
  const einsum::Graph twice = graph_of(
      "%0 = input A : f32[i=600,j=600]\n%1 = input B : f32[i=600,j=600]\n"
      "%2 = einsum(%0) {C[i,j] = min[k] (A[i,k] + A[k,j])} : f32[i=600,j=600]\noutput(%2) C\n");
  const einsum::Graph apart = graph_of(
      "%0 = input A : f32[i=600,j=600]\n%1 = input B : f32[i=600,j=600]\n"
      "%2 = einsum(%0, %1) {C[i,j] = min[k] (A[i,k] + B[k,j])} : f32[i=600,j=600]\noutput(%2) C\n");
  const auto reading_of = [](const einsum::Graph& graph, std::vector<int64_t> lengths) {
    Partitioning cuts;
    cuts.piece_lengths = {{}, {}, std::move(lengths)};
    cuts.merged_apart.resize(3);
    return count_partition(graph, cuts).statements[0].reading;
  };
  EXPECT_EQ(reading_of(apart, {300, 300, 300}).runs, 2 * 1200);
  EXPECT_EQ(reading_of(twice, {300, 300, 300}).runs, 1200);
  EXPECT_EQ(2 * reading_of(twice, {300, 300, 300}).seconds,
            reading_of(apart, {300, 300, 300}).seconds);
  EXPECT_EQ(reading_of(twice, {600, 300, 300}).runs, reading_of(apart, {600, 300, 300}).runs);
  // The planner's costs are those that are counted.
  for (const einsum::Graph& graph : {twice, apart}) {
    const GraphPartition result = partitioned(graph);
    EXPECT_EQ(result.cost, count_partition(graph, result.partitioning).cost);
  }
}

TEST(PartitionFiles, WhatCarriesFilesHasFewerCallsForLongerRuns) {
  const einsum::Graph turned = graph_of(
      "%0 = input X : f32[i=5000,j=5000]\n"
      "%1 = einsum(%0) {Y[j,i] = X[i,j]} : f32[j=5000,i=5000]\noutput(%1) Y\n");
  const GraphPartition result = partitioned(turned);
  EXPECT_EQ(cuts_of(turned, result, "Y"), "j:8 i:2");
  EXPECT_EQ(result.pieces, 64);  // that keep tiles in the cache
  EXPECT_GT(result.statements[0].reloaded, 0);
  EXPECT_EQ(result.statements[0].writing.runs, 10000);

  const einsum::Graph scaled = graph_of(
      "%0 = input X : f32[i=5000,j=5000]\n"
      "%1 = einsum(%0) {Y[i,j] = 2 * X[i,j]} : f32[i=5000,j=5000]\noutput(%1) Y\n");
  const GraphPartition straight = partitioned(scaled);
  EXPECT_EQ(cuts_of(scaled, straight, "Y"), "i:64 j:1");  // long runs with any number of calls
  EXPECT_EQ(straight.statements[0].reloaded, 0);
}

TEST(PartitionFiles, AResultOfTwoNamesIsWrittenTwice) {
  const std::string program =
      "%0 = input X : f32[i=4000,j=40]\n"
      "%1 = einsum(%0) {T[i,j] = exp(X[i,j])} : f32[i=4000,j=40]\n"
      "%2 = einsum(%1) {Y[i,j] = T[i,j] + 1} : f32[i=4000,j=40]\n";
  const auto writing_of = [&](const std::string& outputs) {
    const GraphPartition result = partitioned(graph_of(program + outputs));
    return std::make_pair(result.statements[0].writing.runs, result.statements[1].writing.runs);
  };
  EXPECT_EQ(writing_of("output(%2) Y\n"), std::make_pair(0.0, 4.0));
  EXPECT_EQ(writing_of("output(%2) Y\noutput(%2) Z\noutput(%1) T\n"), std::make_pair(4.0, 8.0));
}

TEST(PartitionFiles, ALowerBoundHoldsForCostsWithFiles) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[n=100000,k=40]\n"
      "%1 = einsum(%0) {P[a,b] = sum[n] X[n,a] * X[n,b]} : f32[a=40,b=40]\n"
      "%2 = einsum(%0, %1) {Y[n,b] = sum[a] X[n,a] * P[a,b]} : f32[n=100000,b=40]\n"
      "output(%1) P\noutput(%2) Y\n");
  const GraphPartition result = partitioned(graph);
  ASSERT_TRUE(result.lower_bound);
  EXPECT_EQ(*result.lower_bound, result.cost);
  EXPECT_EQ(result.cost, count_partition(graph, result.partitioning).cost);
}

}  // namespace
}  // namespace tessera::optimizer::partition::files_test
