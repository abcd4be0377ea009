#include "plan/to_tasks.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/ia/text.h"
#include "plan/verify.h"
#include "unit/known.h"

namespace tessera::plan::to_tasks_test {
namespace {

using testing::IsEmpty;

/// C = A * B, 4 x 6 times 6 x 4, in tiles of 2 x 3 and 3 x 4.
const char* const kProduct =
    "ia sites=1\n"
    "%0 = input A : (i:2x2,k:2x3) -> f64[i=4,k=6]\n"
    "%1 = input B : (k:2x3,j:1x4) -> f64[k=6,j=4]\n"
    "%2 = local_join(%0, %1) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]}"
    " : (i:2x2,j:1x4,k:2x3) -> f64[i=4,j=4]\n"
    "%3 = local_aggregate(%2) keep=(i,j) by=sum:f64 : (i:2x2,j:1x4) -> f64[i=4,j=4]\n"
    "output(%3) C\n";

TaskGraph plan_of(const std::string& text) {
  TaskGraph graph = to_tasks(
      ia::parse_graph({"plan.ia", text}, known().functions, known().aggregates), known().context);
  EXPECT_THAT(verify(graph, known().functions), IsEmpty());
  return graph;
}

int64_t count(const TaskGraph& graph, TaskKind kind) {
  return std::count_if(graph.tasks.begin(), graph.tasks.end(),
                       [&](const TaskInfo& task) { return task.kind == kind; });
}

TEST(ToTasks, ATileIsReadOnceAndFreedAfterItsLastUse) {
  const TaskGraph graph = plan_of(kProduct);
  EXPECT_EQ(count(graph, TaskKind::read_source), 6);
  for (size_t tile = 0; tile < graph.tiles.size(); ++tile) {
    TaskId last;
    for (size_t task = 0; task < graph.tasks.size(); ++task) {
      for (const auto* arguments : {&graph.tasks[task].inputs, &graph.tasks[task].outputs}) {
        for (const Argument& argument : *arguments) {
          last = argument.tile.index() == tile ? TaskId(static_cast<int64_t>(task)) : last;
        }
      }
    }
    EXPECT_EQ(graph.tiles[tile].last_use, last) << "tile " << tile;
  }
}

TEST(ToTasks, ThePeakIsThatOfTheSerialOrder) {
  // Both tiles of C (8 numbers of 8 bytes each) grow side by side; one tile of A (6) and of B (12)
  // at a time. All are charged in units of 64 bytes.
  EXPECT_EQ(plan_of(kProduct).proof().peak.at_most, 64 + 64 + 64 + 128);
  EXPECT_EQ(plan_of(kProduct).proof().smallest_budget, 128 + 64 + 64);
}

/// An aggregate of 4 x 40 tiles of 16 elements, or one of each row of tiles.
std::string merged(const std::string& head, const std::string& aggregate, const std::string& key) {
  return head +
         "%0 = input X : (j:4x2,i:40x8) -> f64[j=8,i=320]\n"
         "%1 = local_join(%0) on=(j,i) kernel={o[] = " +
         aggregate + "[j,i] x0[j,i]} : (j:4x2,i:40x8) -> f64[]\n%2 = local_aggregate(%1) keep=(" +
         key + ") by=" + aggregate + ":f64 : (" + (key.empty() ? "" : "j:4x2") +
         ") -> f64[]\noutput(%2) s\n";
}

/// By tile, how many calls make it or add to it.
std::map<TileId, int64_t> calls_by_tile(const TaskGraph& graph) {
  std::map<TileId, int64_t> calls;
  for (const TaskInfo& task : graph.tasks) {
    if (task.kind == TaskKind::compute && task.inputs.size() == 1) {
      ++calls[task.outputs[0].tile];
    }
  }
  return calls;
}

TEST(ToTasks, CallsOfAFewGroupsTakeTurnsAtSeveralTiles) {
  // 160 calls, so 10 tiles of 16 calls; but each call reads 16 numbers, of which 2 are an eighth.
  const TaskGraph graph = plan_of(merged("ia sites=1\n", "sum", ""));
  const std::map<TileId, int64_t> calls = calls_by_tile(graph);
  EXPECT_EQ(calls.size(), 2U);
  for (const auto& [tile, num_calls] : calls) {
    EXPECT_EQ(num_calls, 80) << "tile " << tile.value;
  }
  EXPECT_EQ(count(graph, TaskKind::compute), 160 + 1);
  // So have groups of 40 calls each.
  EXPECT_EQ(calls_by_tile(plan_of(merged("ia sites=1\n", "sum", "j"))).size(), 4U * 2U);
}

TEST(ToTasks, AReproduciblePlanAccumulatesIntoOneTile) {
  EXPECT_EQ(calls_by_tile(plan_of(merged("ia sites=1 reproducible=yes\n", "max", ""))).size(), 1U);
}

TEST(ToTasks, SourcesAreTheTensorsOfWhichTilesAreRead) {
  const std::vector<SourceInfo> sources = {{"A", {DType::f64, {4, 6}}},
                                           {"B", {DType::f64, {6, 4}}}};
  EXPECT_EQ(plan_of(kProduct).sources, sources);
}

TEST(ToTasks, ASourceIsWholeThoughItsLastTilesAreNotRead) {
  const auto source_of = [](const std::string& nodes) {
    return plan_of("ia sites=1\n" + nodes).sources.at(0);
  };
  const SourceInfo whole = {"A", {DType::f64, {6}}};
  EXPECT_EQ(
      source_of("%0 = input A : (i:3x2) -> f64[i=6]\n"
                "%1 = local_filter(%0) where={index(i) < 2} : (i:3x2) only {(0),(1)} -> f64[i=6]\n"
                "%2 = local_rekey(%1) key=(n=i) : (n:3 bare) only {(0),(1)} -> f64[i=2]\n"
                "%3 = local_aggregate(%2) keep=() by=sum:f64 : () -> f64[i=2]\n"
                "output(%3) S\n"),
      whole);
  EXPECT_EQ(source_of("%0 = input A : (i:3x2) only {(1)} -> f64[i=6]\n"
                      "%1 = local_join(%0) on=(i) kernel={o[] = sum[i] x0[i]}"
                      " : (i:3x2) only {(1)} -> f64[]\n"
                      "%2 = local_aggregate(%1) keep=() by=sum:f64 : () -> f64[]\n"
                      "output(%2) S\n"),
            whole);
}

void expect_read(const std::string& nodes, int64_t tiles) {
  EXPECT_EQ(count(plan_of("ia sites=1\n" + nodes), TaskKind::read_source), tiles) << nodes;
}

TEST(ToTasks, OfADiagonalOnlyItsTilesAreNamed) {
  // Of the 10^8 tiles of the whole 10^4 lie on the diagonal.
  expect_read(
      "%0 = input A : (i:10000x1,i_2:10000x1) -> f64[i=10000,i_2=10000]\n"
      "%1 = local_join(%0) on=(i,i) kernel={o[i] = x0[i,i]}"
      " : (i:10000x1) -> f64[i=10000]\n"
      "output(%1) d\n",
      10000);
  expect_read(
      "%0 = input A : (i:3x2,i_2:3x2,j:2x4,j_2:2x4) -> f64[i=6,i_2=6,j=8,j_2=8]\n"
      "%1 = local_join(%0) on=(i,i,j,j) kernel={o[] = sum[i,j] x0[i,i,j,j]} : (i:3x2,j:2x4) "
      "-> "
      "f64[]\n"
      "%2 = local_aggregate(%1) keep=() by=sum:f64 : () -> f64[]\n"
      "output(%2) t\n",
      6);
}

TEST(ToTasks, WhatADiagonalIsMadeFromIsNeededOnlyThere) {
  const std::string cut_anew =
      "%0 = input A : (i:4x2,j:4x2) -> f64[i=8,j=8]\n"
      "%1 = local_transform(%0) kernel={o[i,j] = x0[i,j] + x0[i,j]} : (i:4x2,j:4x2) -> "
      "f64[i=8,j=8]\n"
      "%2 = local_repartition(%1) : (i:2x4,j:2x4) -> f64[i=8,j=8]\n"
      "%3 = local_join(%2) on=(i,i) kernel={o[i] = x0[i,i]} : (i:2x4) -> f64[i=8]\n"
      "output(%3) d\n";
  expect_read(cut_anew, 8);
  expect_read(cut_anew + "output(%1) B\n", 16);  // another result needs all
  expect_read(
      "%0 = input A : (i:2x4,j:2x4) -> f64[i=8,j=8]\n"
      "%1 = local_repartition(%0) : (i:4x2,j:2x4) -> f64[i=8,j=8]\n"
      "%2 = local_repartition(%1) : (i:4x2,j:4x2) -> f64[i=8,j=8]\n"
      "%3 = local_join(%2) on=(i,i) kernel={o[i] = x0[i,i]} : (i:4x2) -> f64[i=8]\n"
      "output(%3) d\n",
      2);
  // The diagonal of a product needs the products on it: of each all of a row and of a column.
  const TaskGraph product = plan_of(
      "ia sites=1\n"
      "%0 = input A : (i:2x2,k:2x2) -> f64[i=4,k=4]\n"
      "%1 = local_join(%0, %0) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]}"
      " : (i:2x2,j:2x2,k:2x2) -> f64[i=4,j=4]\n"
      "%2 = local_aggregate(%1) keep=(i,j) by=sum:f64 : (i:2x2,j:2x2) -> f64[i=4,j=4]\n"
      "%3 = local_join(%2) on=(i,i) kernel={o[i] = x0[i,i]} : (i:2x2) -> f64[i=4]\n"
      "output(%3) d\n");
  EXPECT_EQ(count(product, TaskKind::compute), 4 + 2);
}

/// X lies by i on two sites; a broadcast gives each of them both of its tiles.
constexpr const char* kTwoSites =
    "ia sites=2\n"
    "%0 = input X at=(i) : (i:2x2) -> f64[i=4]\n"
    "%1 = bcast(%0)\n"
    "%2 = local_join(%0) on=(i) kernel={o[i] = 2 * x0[i]} : (i:2x2) -> f64[i=4]\n"
    "output(%1) X\n"
    "output(%2) Y\n";

TEST(ToTasks, EverySiteMakesWhatItsTuplesGiveAndGetsWhatItLacks) {
  const TaskGraph graph =
      to_tasks(ia::parse_graph({"plan.ia", kTwoSites}, known().functions, known().aggregates),
               known().context);
  EXPECT_EQ(graph.sites.size(), 2U);
  EXPECT_THAT(verify(graph, known().functions), testing::IsEmpty());
  std::map<TaskKind, std::vector<int64_t>> sites;
  for (const TaskInfo& task : graph.tasks) {
    sites[task.kind].push_back(task.site.value);
  }
  for (auto& [kind, of_kind] : sites) {
    std::sort(of_kind.begin(), of_kind.end());
  }
  EXPECT_THAT(sites[TaskKind::read_source], testing::ElementsAre(0, 1));
  EXPECT_THAT(sites[TaskKind::compute], testing::ElementsAre(0, 1));
  // Nobody reads X on the second site. It is written from the first, Y from where it was made.
  EXPECT_THAT(sites[TaskKind::move], testing::ElementsAre(0));
  EXPECT_THAT(sites[TaskKind::write_sink], testing::ElementsAre(0, 0, 0, 1));
}

TEST(ToTasks, ATileComesToASiteOnce) {
  const std::string twice =
      "ia sites=2\n"
      "%0 = input X at=(i) : (i:2x2) -> f64[i=4]\n"
      "%1 = bcast(%0)\n"
      "%2 = bcast(%0)\n"
      "%3 = local_join(%1) on=(i) kernel={o[i] = 2 * x0[i]} : (i:2x2) -> f64[i=4]\n"
      "%4 = local_join(%2) on=(i) kernel={o[i] = 3 * x0[i]} : (i:2x2) -> f64[i=4]\n"
      "output(%3) Y\n"
      "output(%4) Z\n";
  const TaskGraph graph = to_tasks(
      ia::parse_graph({"plan.ia", twice}, known().functions, known().aggregates), known().context);
  EXPECT_EQ(std::count_if(graph.tasks.begin(), graph.tasks.end(),
                          [](const TaskInfo& task) { return task.kind == TaskKind::move; }),
            1);  // the first site makes and writes both
}

TEST(ToTasks, APlacementThatIsLeftOpenHasNoTasks) {
  ia::Graph graph = ia::parse_graph({"plan.ia", kTwoSites}, known().functions, known().aggregates);
  graph.nodes[1].placement = ia::Undecided{};
  try {
    to_tasks(graph, known().context);
    FAIL() << "it was left open";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  }
}

}  // namespace
}  // namespace tessera::plan::to_tasks_test
