#include <map>
#include <set>

#include <gtest/gtest.h>

#include "ir/ia/verify.h"
#include "ir/tra/text.h"
#include "optimizer/ia/communication.h"
#include "optimizer/lowering/to_ia.h"
#include "placement/two_phase/greedy.h"
#include "placement/two_phase/pilot.h"
#include "placement/two_phase/placed_graph.h"
#include "placement/two_phase/solve.h"
#include "plan/to_tasks.h"
#include "unit/known.h"
#include "unit/placement/two_phase_problems.h"

namespace tessera::placement::two_phase::two_phase_pilot_test {
namespace {

const std::string kProduct =
    "%0 = input X : (i:2x2,k:2x2) -> f64[i=4,k=4]\n"
    "%1 = input Y : (k:2x2,j:2x2) -> f64[k=4,j=4]\n"
    "%2 = join(%0, %1) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]}"
    " : (i:2x2,j:2x2,k:2x2) -> f64[i=4,j=4]\n"
    "%3 = aggregate(%2) keep=(i,j) by=sum:f64\n"
    "output(%3) Z\n";

/// The greatest of a row of the product, and what it is greater by.
const std::string kStatements =
    "%0 = input X : (i:4x2,k:3x2) -> f64[i=8,k=6]\n"
    "%1 = input Y : (k:3x2,j:4x2) -> f64[k=6,j=8]\n"
    "%2 = join(%0, %1) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]}"
    " : (i:4x2,j:4x2,k:3x2) -> f64[i=8,j=8]\n"
    "%3 = aggregate(%2) keep=(i,j) by=sum:f64\n"
    "%4 = join(%3) on=(i,j) kernel={o[i] = max[j] x0[i,j]} : (i:4x2,j:4x2) -> f64[i=8]\n"
    "%5 = aggregate(%4) keep=(i) by=max:f64\n"
    "%6 = join(%3, %5) on=(i,j; i) kernel={o[i,j] = x0[i,j] - x1[i]} : (i:4x2,j:4x2)"
    " -> f64[i=8,j=8]\n"
    "%7 = repartition(%6) : (i:2x4,j:4x2) -> f64[i=8,j=8]\n"
    "output(%7) D\n"
    "output(%3) Z\n";

ia::Graph on_one_site(const std::string& nodes) {
  return optimizer::to_ia(
      tra::parse_graph({"plan.tra", "tra\n" + nodes}, known().functions, known().aggregates), 1);
}

Plan greedy(const Problem& problem) {
  return assigned_greedily(problem, Rules::both, Ties::lowest_site);
}

/// Two-phase §4.3: eight join groups of two tuples, four aggregation groups of two join groups.
/// With the sites of the paper it is the problem whose cost §5.2 counts.
TEST(TwoPhasePilot, FindsTheLineageOfTheTiledProduct) {
  Problem seen;
  const Method method{[&](const Problem& problem) {
    seen = problem;
    return greedy(problem);
  }};
  pilot(on_one_site(kProduct), {3, 1}, known().context, method);
  // By rows of X and columns of Y, as the keys of the join are: i, j, k. Tuples are numbered as the
  // join groups first read them: X11 Y11 X12 Y21 Y12 Y22 X21 X22.
  const std::vector<std::vector<int32_t>> joins = {{0, 1}, {2, 3}, {0, 4}, {2, 5},
                                                   {6, 1}, {7, 3}, {6, 4}, {7, 5}};
  const std::vector<std::vector<int32_t>> groups = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  ASSERT_EQ(seen.num_joins(), joins.size());
  for (size_t join = 0; join < joins.size(); ++join) {
    const auto tuples = seen.tuples[join];
    EXPECT_EQ(std::vector<int32_t>(tuples.begin(), tuples.end()), joins[join]);
  }
  ASSERT_EQ(seen.num_groups(), groups.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    const auto of_group = seen.joins[group];
    EXPECT_EQ(std::vector<int32_t>(of_group.begin(), of_group.end()), groups[group]);
  }
  ASSERT_EQ(seen.num_tuples(), 8U);
  for (size_t tuple = 0; tuple < 8; ++tuple) {
    EXPECT_TRUE(seen.sites.is_empty(tuple)) << "an input may start anywhere";
  }
}

TEST(TwoPhasePilot, WhatAStatementMadeOrWasSentIsWhereTheNextFindsIt) {
  std::vector<Problem> seen;
  const Method method{[&](const Problem& problem) {
    seen.push_back(problem);
    return planned(problem);
  }};
  pilot(on_one_site(kStatements), {3, 1}, known().context, method);
  ASSERT_GE(seen.size(), 4U);
  for (size_t number = 1; number < 3; ++number) {
    for (size_t tuple = 0; tuple < seen[number].num_tuples(); ++tuple) {
      EXPECT_FALSE(seen[number].sites.is_empty(tuple)) << "statement " << number;
    }
  }
}

/// The bytes of all moves, by the site that gets them; every tile comes to a site at most once.
std::map<int64_t, double> bytes_in(const plan::TaskGraph& tasks) {
  std::map<int64_t, double> bytes;
  std::set<std::pair<int64_t, int64_t>> sent;
  for (const plan::TaskInfo& task : tasks.tasks) {
    if (task.kind == plan::TaskKind::move) {
      bytes[task.site.value] += task.bytes;
      EXPECT_TRUE(sent.emplace(task.inputs[0].tile.value, task.site.value).second)
          << "a tile comes to a site twice";
    }
  }
  return bytes;
}

/// Of the product's sums in one run, in two, and of every join group by itself.
TEST(TwoPhasePilot, SolvesTheBestOfTheRunsThatItSketches) {
  int num_sketched = 0;
  int num_solved = 0;
  const Method method{[&](const Problem& problem) {
                        ++num_solved;
                        return planned(problem);
                      },
                      true,
                      [&](const Problem& problem) {
                        ++num_sketched;
                        return sketched(problem);
                      }};
  const ia::Graph graph = on_one_site(kProduct);
  const Piloted found = pilot(graph, {4, 1}, known().context, method);
  EXPECT_EQ(num_sketched, 3);
  EXPECT_EQ(num_solved, 1);
  const Piloted all = pilot(graph, {4, 1}, known().context, {&planned, true});
  EXPECT_EQ(found.totals.cost, all.totals.cost);
}

class TwoPhasePlaced : public testing::TestWithParam<int32_t> {};

/// What the placed graph is said to move is what its tasks move: pieces are as large as each other
/// here.
TEST_P(TwoPhasePlaced, MovesWhatIsCounted) {
  const int32_t num_sites = GetParam();
  for (const std::string& nodes : {kProduct, kStatements}) {
    for (const Method& method :
         {Method{&planned, true}, Method{&planned, true, &sketched}, Method{&planned, false},
          Method{&greedy}, Method{&dealt_by_keys}}) {
      const ia::Graph graph = on_one_site(nodes);
      const Piloted piloted = pilot(graph, {num_sites, 1}, known().context, method);
      const ia::Graph placed = placed_graph(graph, piloted, num_sites);
      EXPECT_EQ(verify(placed, known().functions), std::vector<std::string>{});
      double moved = 0;
      for (const auto& [site, bytes] : bytes_in(plan::to_tasks(placed, known().context))) {
        moved += bytes;
      }
      EXPECT_EQ(moved, optimizer::Communication().of(placed).moved_bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OnSites, TwoPhasePlaced, testing::Values(2, 3, 7));

}  // namespace
}  // namespace tessera::placement::two_phase::two_phase_pilot_test
