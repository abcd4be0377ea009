#include <gtest/gtest.h>

#include "base/error.h"
#include "optimizer/assignment/path_program.h"
#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/partition.h"
#include "unit/optimizer/assignment/drawn_problem.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer::partition::planners_test {
namespace {

const PlannerRegistry& planners() {
  static const PlannerRegistry registry = [] {
    PlannerRegistry all;
    register_all_planners(all);
    return all;
  }();
  return registry;
}

GraphPartition partitioned(const einsum::Graph& graph, const std::string& planner, int64_t pieces) {
  return partition_graph(graph, planners(), planner, {1, pieces, std::nullopt, {}});
}

/// (A*B)+(C*(D*E)), whose second factor is read twice.
einsum::Graph shared_product() {
  return graph_of(
      "%0 = input A : f32[i=8,j=4]\n%1 = input B : f32[j=4,k=16]\n"
      "%2 = einsum(%0, %1) {P[i,k] = sum[j] A[i,j] * B[j,k]} : f32[i=8,k=16]\n"
      "%3 = einsum(%2) {Q[k,i] = exp(P[i,k])} : f32[k=16,i=8]\n"
      "%4 = einsum(%2, %3) {R[i,l] = sum[k] P[i,k] * Q[k,l]} : f32[i=8,l=8]\n"
      "%5 = einsum(%4) {m[i] = max[l] R[i,l]} : f32[i=8]\n"
      "%6 = einsum(%4, %5) {S[i,l] = R[i,l] - m[i]} : f32[i=8,l=8]\noutput(%6) S\n");
}

TEST(PartitionPlanners, ExactIsTheCheapestOfAll) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    for (const int64_t pieces : {2, 4, 6}) {
      const einsum::Graph graph = assignment::random_program(seed, 5);
      const assignment::Problem problem = assignment::problem_with(graph, pieces);
      const GraphPartition exact = partitioned(graph, "exact", pieces);
      EXPECT_EQ(exact.cost, assignment::brute_force(problem))
          << "seed " << seed << ", p " << pieces;
      EXPECT_EQ(exact.lower_bound, exact.cost);
    }
  }
}

TEST(PartitionPlanners, NoPlannerIsBelowTheBoundOrBetterThanExact) {
  for (uint32_t seed = 200; seed < 230; ++seed) {
    for (const int64_t pieces : {1, 5, 16, 64}) {
      const einsum::Graph graph = assignment::random_program(seed, 25);
      const GraphPartition exact = partitioned(graph, "exact", pieces);
      ASSERT_TRUE(exact.lower_bound);
      EXPECT_LE(*exact.lower_bound, exact.cost);
      for (const std::string planner : {"eindecomp", "sqrt", "data-parallel", "label:i,j"}) {
        const GraphPartition other = partitioned(graph, planner, pieces);
        EXPECT_LE(exact.cost, other.cost) << planner << ", seed " << seed;
        EXPECT_EQ(count_partition(graph, other.partitioning).cost, other.cost);
      }
      EXPECT_EQ(partitioned(graph, "auto", pieces).cost, exact.cost);
    }
  }
}

TEST(PartitionPlanners, TheDynamicProgramIsExactOnAForest) {
  for (const int64_t pieces : {2, 8, 12}) {
    const einsum::Graph graph = graph_of(
        "%0 = input A : f32[i=8,j=24]\n%1 = input B : f32[j=24,k=4]\n%2 = input C : f32[k=4,l=16]\n"
        "%3 = einsum(%0, %1) {P[i,k] = sum[j] A[i,j] * B[j,k]} : f32[i=8,k=4]\n"
        "%4 = einsum(%3, %2) {Q[i,l] = sum[k] P[i,k] * C[k,l]} : f32[i=8,l=16]\n"
        "%5 = einsum(%2) {D[i,k] = exp(C[k,i])} : f32[i=16,k=4]\n"
        "%6 = einsum(%4, %5) {R[i,k] = sum[l] Q[i,l] * D[l,k]} : f32[i=8,k=4]\noutput(%6) R\n");
    const assignment::Problem problem = assignment::problem_with(graph, pieces);
    ASSERT_TRUE(assignment::is_forest(problem));
    EXPECT_EQ(assignment::cost_of(problem, assignment::linearised(problem)),
              assignment::brute_force(problem));
    EXPECT_EQ(partitioned(graph, "eindecomp", pieces).lower_bound,
              assignment::brute_force(problem));
  }
  EXPECT_FALSE(assignment::is_forest(assignment::problem_with(shared_product(), 4)));
}

TEST(PartitionPlanners, CostsAddUpByStatement) {
  const GraphPartition result = partitioned(shared_product(), "auto", 8);
  double sum = 0;
  for (const StatementPartition& statement : result.statements) {
    sum += statement.join + statement.aggregation + statement.repartition + statement.files;
    EXPECT_GE(statement.num_alternatives, 1);
    for (const StatementPartition::Alternative& other : statement.runners_up) {
      EXPECT_GE(other.plan_cost, result.cost);
      EXPECT_NE(other.pieces, statement.pieces);
    }
  }
  EXPECT_EQ(sum, result.cost);
  EXPECT_EQ(result.statements.size(), 5U);
}

TEST(PartitionPlanners, ARunnerUpCostsWhatThePlanWouldWithIt) {
  const einsum::Graph graph = shared_product();
  const GraphPartition result = partitioned(graph, "exact", 4);
  for (const StatementPartition& statement : result.statements) {
    for (const StatementPartition::Alternative& other : statement.runners_up) {
      Partitioning changed = result.partitioning;
      const auto& einsum = std::get<einsum::EinSum>(graph.at(statement.vertex).op);
      std::vector<int64_t>& lengths = changed.piece_lengths[statement.vertex.index()];
      for (size_t label = 0; label < lengths.size(); ++label) {
        lengths[label] = (einsum.labels[label].extent - 1) / other.pieces[label] + 1;
      }
      EXPECT_EQ(count_partition(graph, changed).cost, other.plan_cost);
    }
  }
}

TEST(PartitionPlanners, SqrtCutsAProductInThreeDimensions) {
  const einsum::Graph graph = graph_of(
      "%0 = input A : f32[i=64,j=64]\n%1 = input B : f32[j=64,k=64]\n"
      "%2 = einsum(%0, %1) {P[i,k] = sum[j] A[i,j] * B[j,k]} : f32[i=64,k=64]\noutput(%2) P\n");
  EXPECT_EQ(partitioned(graph, "sqrt", 64).statements[0].pieces, (std::vector<int64_t>{4, 4, 4}));
}

TEST(PartitionPlanners, DataParallelFollowsTheBatch) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[b=64,f=32]\n%1 = input W : f32[f=32,h=128]\n%2 = input V : "
      "f32[h=128,l=8]\n"
      "%3 = einsum(%0, %1) {H[b,h] = sum[f] X[b,f] * W[f,h]} : f32[b=64,h=128]\n"
      "%4 = einsum(%3, %2) {Y[r,l] = sum[h] H[r,h] * V[h,l]} : f32[r=64,l=8]\noutput(%4) Y\n");
  const GraphPartition result = partitioned(graph, "data-parallel", 16);
  for (const StatementPartition& statement : result.statements) {
    const auto& einsum = std::get<einsum::EinSum>(graph.at(statement.vertex).op);
    const auto batch = static_cast<size_t>(einsum.out[0]);
    EXPECT_EQ(statement.pieces[batch], 16);
    EXPECT_EQ(statement.repartition, 0);
  }
}

TEST(PartitionPlanners, LabelCutsByNameAndFillsUp) {
  const einsum::Graph graph = graph_of(
      "%0 = input A : f32[h=4,s=64]\n"
      "%1 = einsum(%0) {B[h,s] = exp(A[h,s])} : f32[h=4,s=64]\noutput(%1) B\n");
  EXPECT_EQ(partitioned(graph, "label:h", 16).statements[0].pieces, (std::vector<int64_t>{4, 4}));
  EXPECT_EQ(partitioned(graph, "label:s,h", 16).statements[0].pieces,
            (std::vector<int64_t>{1, 16}));
}

TEST(PartitionPlanners, UnknownPlannersAndArgumentsAreRefused) {
  const einsum::Graph graph = shared_product();
  EXPECT_THROW(partitioned(graph, "exakt", 4), Error);
  EXPECT_THROW(partitioned(graph, "label", 4), Error);
  EXPECT_THROW(partitioned(graph, "exact:i", 4), Error);
  EXPECT_THROW(partitioned(graph, "label:i,nowhere", 4), Error);
}

TEST(PartitionPlanners, RowsAreCutWhereNothingElseDecides) {
  const einsum::Graph graph = graph_of(
      "%0 = input A : f32[i=64,j=64]\n"
      "%1 = einsum(%0) {B[i,j] = exp(A[i,j])} : f32[i=64,j=64]\noutput(%1) B\n");
  for (const std::string planner : {"auto", "exact", "eindecomp", "data-parallel"}) {
    EXPECT_EQ(partitioned(graph, planner, 8).statements[0].pieces, (std::vector<int64_t>{8, 1}))
        << planner;
  }
}

TEST(PartitionPlanners, ASumIsNotCutWhereAFreeLabelIsAsGood) {
  const einsum::Graph graph = graph_of(
      "%0 = input A : f32[i=64,j=64]\n"
      "%1 = einsum(%0) {b[i] = sum[j] A[i,j]} : f32[i=64]\noutput(%1) b\n");
  // With files, 8 writes of 32 bytes are more than 4 of 64 and the merging of 64 sums.
  PartitionOptions no_files;
  no_files.pieces = 8;
  no_files.has_files = false;
  EXPECT_EQ(partition_graph(graph, planners(), "auto", no_files).statements[0].pieces,
            (std::vector<int64_t>{8, 1}));
}

TEST(PartitionFineness, SmallProgramsAreNotCut) {
  const GraphPartition result =
      partition_graph(shared_product(), planners(), "auto", {16, std::nullopt, std::nullopt, {}});
  EXPECT_EQ(result.pieces, 1);
  EXPECT_EQ(result.partitioning.piece_lengths[2].size(), 3U);
}

/// A million numbers that are grouped: in how many pieces two workers have the groups, and the
/// numbers.
std::vector<int64_t> pieces_of_grouping(int64_t groups) {
  const std::string count = std::to_string(groups);
  const einsum::Graph graph = graph_of(
      "%0 = input G : i64[n=1000000]\n%1 = input X : f64[n=1000000]\n%2 = einsum(%0, %1) {[g=" +
      count + ",n=1000000] Y[g] = sum[n] only(in_group(G[n], index(g), " + count +
      "), X[n])} : f64[g=" + count + "]\noutput(%2) Y\n");
  return partition_graph(graph, planners(), "auto", {2, std::nullopt, std::nullopt, {}})
      .statements[0]
      .pieces;
}

TEST(PartitionFineness, AGroupingIsCutWhereLessIsLookedAt) {
  // Each call of some groups would look at all numbers, so these are cut.
  EXPECT_EQ(pieces_of_grouping(100'000), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(pieces_of_grouping(900'000), (std::vector<int64_t>{1, 2}));
  // Partial results of few groups cost nothing: as many calls as of any statement.
  EXPECT_EQ(pieces_of_grouping(100), (std::vector<int64_t>{1, 8}));
  // With more groups than numbers, partial results cost more than reading the numbers twice.
  EXPECT_EQ(pieces_of_grouping(3'000'000)[0], 2);
}

const char* const kLargeProduct =
    "%0 = input A : f32[i=2048,j=2048]\n%1 = input B : f32[j=2048,k=2048]\n"
    "%2 = einsum(%0, %1) {P[i,k] = sum[j] A[i,j] * B[j,k]} : f32[i=2048,k=2048]\n"
    "%3 = einsum(%2) {m[k] = max[i] P[i,k]} : f32[k=2048]\n"
    "%4 = einsum(%3) {n[] = sum[k] m[k]} : f32[]\noutput(%4) n\n";

TEST(PartitionFineness, LargeStatementsGiveEveryWorkerWork) {
  const einsum::Graph graph = graph_of(kLargeProduct);
  for (const int64_t workers : {2, 3, 8}) {
    const GraphPartition result =
        partition_graph(graph, planners(), "auto", {workers, std::nullopt, std::nullopt, {}});
    const auto& product = std::get<einsum::EinSum>(graph.vertices[2].op);
    int64_t tiles = 1;
    for (const int32_t label : product.out) {
      tiles *= result.statements[0].pieces[static_cast<size_t>(label)];
    }
    EXPECT_GE(tiles, workers);
  }
}

TEST(PartitionFineness, RowsOfASoftmaxStayWhole) {
  const einsum::Graph graph = graph_of(
      "%0 = input Q : f32[h=8,s=2048,d=64]\n%1 = input K : f32[h=8,t=2048,d=64]\n"
      "%2 = einsum(%0, %1) {T[h,s,t] = sum[d] Q[h,s,d] * K[h,t,d]} : f32[h=8,s=2048,t=2048]\n"
      "%3 = einsum(%2) {m[h,s] = max[t] T[h,s,t]} : f32[h=8,s=2048]\n"
      "%4 = einsum(%2, %3) {E[h,s,t] = exp(T[h,s,t] - m[h,s])} : f32[h=8,s=2048,t=2048]\n"
      "output(%4) E\n");
  const GraphPartition result =
      partition_graph(graph, planners(), "auto", {2, std::nullopt, std::nullopt, {}});
  EXPECT_GT(result.pieces, 2);
  for (const StatementPartition& statement : result.statements) {
    const auto& einsum = std::get<einsum::EinSum>(graph.at(statement.vertex).op);
    EXPECT_EQ(statement.repartition, 0);
    for (size_t label = 0; label < einsum.labels.size(); ++label) {
      if (einsum.labels[label].name == "t") {
        EXPECT_EQ(statement.pieces[label], 1) << graph.at(statement.vertex).name;
      }
    }
  }
}

TEST(PartitionFineness, ManyStatementsHaveFewerCallsEach) {
  std::string text = "%0 = input X : f32[i=8192,j=8192]\n";
  for (int number = 1; number <= 600; ++number) {
    text += fmt::format(
        "%{0} = einsum(%{1}, %{1}) {{T{0}[i,k] = sum[j] x0[i,j] * x1[j,k]}} : "
        "f32[i=8192,k=8192]\n",
        number, number - 1);
  }
  const PartitionOptions options{2, std::nullopt, std::nullopt, {}};
  const auto calls_in_all = [&](const einsum::Graph& graph) {
    int64_t sum = 0;
    for (const StatementPartition& statement :
         partition_graph(graph, planners(), "eindecomp", options).statements) {
      int64_t calls = 1;
      for (const int64_t pieces : statement.pieces) {
        calls *= pieces;
      }
      sum += calls;
    }
    return sum;
  };
  EXPECT_GT(600 * calls_in_all(graph_of(text.substr(0, text.find("%2")) + "output(%1) Y\n")),
            25000);
  EXPECT_LE(calls_in_all(graph_of(text + "output(%600) Y\n")), 25000);
}

TEST(PartitionFineness, ABoundOnTilesIsKeptOrRefused) {
  const einsum::Graph graph = graph_of(kLargeProduct);
  for (const int64_t bytes : {1 << 22, 1 << 18, 1 << 14}) {
    const PartitionOptions options{2, std::nullopt, bytes, {}};
    const GraphPartition result = partition_graph(graph, planners(), "auto", options);
    const Model model = model_of(graph);
    for (const StatementModel& statement : model.statements) {
      EXPECT_LE(largest_call_bytes(statement,
                                   result.partitioning.piece_lengths[statement.vertex.index()]),
                static_cast<double>(bytes));
    }
  }
  EXPECT_THROW(partition_graph(graph, planners(), "auto", {2, std::nullopt, 8, {}}), Error);
}

TEST(PartitionFineness, SmallStatementsBesideLargeOnesMayHaveFewerPieces) {
  const einsum::Graph graph = graph_of(kLargeProduct);
  const GraphPartition result = partitioned(graph, "auto", 64);
  EXPECT_LT(result.statements[2].pieces[0], 64);
}

TEST(PartitionFineness, StatementsOfTwentySevenModesArePlanned) {
  std::string labels;
  std::string extents;
  for (int mode = 0; mode < 27; ++mode) {
    const std::string label = "l" + std::to_string(mode);
    labels += (mode == 0 ? "" : ",") + label;
    extents += (mode == 0 ? "" : ",") + label + "=2";
  }
  const einsum::Graph graph =
      graph_of("%0 = input A : f32[" + extents + "]\n%1 = einsum(%0) {B[" + labels + "] = exp(A[" +
               labels + "])} : f32[" + extents + "]\n%2 = einsum(%1) {C[] = sum[" + labels +
               "] B[" + labels + "]} : f32[]\noutput(%2) C\n");
  const GraphPartition result = partitioned(graph, "auto", 64);
  EXPECT_EQ(result.statements[0].repartition + result.statements[1].repartition, 0);
  EXPECT_EQ(result.statements[1].aggregation, 63);
}

TEST(PartitionFineness, LabelsThatMoveAWindowLessFarStayWhole) {
  const einsum::Graph graph = graph_of(
      "%0 = input X : f32[p=9,c=8]\n%1 = einsum(%0) "
      "{[i=4,c=8,k=3] Y[i,c] = sum[k] X[2*i + k,c]} : f32[i=4,c=8]\noutput(%1) Y\n");
  const auto& window = std::get<einsum::EinSum>(graph.vertices[1].op);
  const GraphPartition result = partitioned(graph, "auto", 8);
  double calls = 1;
  for (size_t label = 0; label < window.labels.size(); ++label) {
    calls *= static_cast<double>(result.statements[0].pieces[label]);
    EXPECT_TRUE(window.labels[label].name != "k" || result.statements[0].pieces[label] == 1);
  }
  EXPECT_GE(calls, 8);
}

TEST(PartitionFineness, EmptyGraphsAndEmptyTensors) {
  EXPECT_EQ(partitioned(einsum::Graph{}, "auto", 4).statements.size(), 0U);
  const einsum::Graph graph = graph_of(
      "%0 = input A : f32[i=0,j=4]\n"
      "%1 = einsum(%0) {B[j,i] = exp(A[i,j])} : f32[j=4,i=0]\noutput(%1) B\n");
  EXPECT_EQ(partitioned(graph, "auto", 4).cost, 0);
}

}  // namespace
}  // namespace tessera::optimizer::partition::planners_test
