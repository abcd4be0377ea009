#include <gmock/gmock.h>

#include "ir/ia/text.h"
#include "ir/ia/verify.h"
#include "ir/tra/text.h"
#include "optimizer/ia/communication.h"
#include "optimizer/ia/rule.h"
#include "optimizer/lowering/to_ia.h"
#include "optimizer/rewrite/search.h"
#include "unit/expr/registries.h"
#include "unit/known.h"

// Where each rule fires, and values: test/plans/rules/, plan_cases --mode placement-rules.

namespace tessera::optimizer {
namespace {

ia::Graph placed(const std::string& text) {
  return ia::parse_graph({"test", "ia sites=2\n" + text}, expr::all_functions(),
                         expr::all_aggregates());
}

const std::string kX = "%0 = input X at=(j) : (i:2x2,j:2x3) -> f32[i=4,j=6]\n";

CommunicationVolume volume_of(const std::string& text) {
  return Communication().of(placed(kX + text));
}

TEST(Communication, ABroadcastSendsEveryTupleToTheOtherSites) {
  EXPECT_EQ(volume_of("%1 = bcast(%0)\noutput(%1) A\n").moved_bytes, 4 * 2 * 3 * 4);
}

TEST(Communication, AShuffleMovesTheTuplesWhoseSiteChanges) {
  EXPECT_EQ(volume_of("%1 = shuf(%0) at=(i)\noutput(%1) A\n").moved_bytes, 2 * 2 * 3 * 4);
  EXPECT_EQ(volume_of("%1 = shuf(%0) at=(j)\noutput(%1) A\n").moved_bytes, 0);
  EXPECT_EQ(volume_of("%1 = bcast(%0)\n%2 = shuf(%1) at=(i)\noutput(%2) A\n").moved_bytes,
            4 * 2 * 3 * 4);
}

TEST(Communication, TuplesThatAreAbsentMoveNothing) {
  const std::string sparse =
      "%0 = input X at=(j) : (i:2x2,j:2x3) only {(0,1),(1,1)} -> f32[i=4,j=6]\n";
  const auto moved_bytes = [&](const std::string& text) {
    return Communication().of(placed(sparse + text)).moved_bytes;
  };
  EXPECT_EQ(moved_bytes("%1 = bcast(%0)\noutput(%1) A\n"), 2 * 2 * 3 * 4);
  EXPECT_EQ(moved_bytes("%1 = shuf(%0) at=(i)\noutput(%1) A\n"), 1 * 2 * 3 * 4);
}

TEST(Communication, AnIdleSiteCostsWhatTheOthersDoForIt) {
  const std::string join =
      " on=(i,j) kernel={o[i,j] = x0[i,j] + 1} : (i:2x2,j:2x3) -> f32[i=4,j=6]\n";
  EXPECT_EQ(volume_of("%1 = local_join(%0)" + join + "output(%1) A\n").excess_bytes, 0);
  // All four calls on one site, where two are its share; each reads and makes a tile of 24 bytes.
  EXPECT_EQ(
      volume_of("%1 = shuf(%0) at=()\n%2 = local_join(%1)" + join + "output(%2) A\n").excess_bytes,
      2 * 48);
  EXPECT_EQ(volume_of("%1 = bcast(%0)\n%2 = local_join(%1)" + join + "output(%2) A\n").excess_bytes,
            2 * 48);
}

const std::string kProduct =
    "tra\n%0 = input A : (i:4x2,k:4x2) -> f64[i=8,k=8]\n"
    "%1 = input B : (k:4x2,j:4x2) -> f64[k=8,j=8]\n"
    "%2 = join(%0, %1) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]}"
    " : (i:4x2,j:4x2,k:4x2) -> f64[i=8,j=8]\n"
    "%3 = aggregate(%2) keep=(i,j) by=sum:f64\noutput(%3) C\n";

struct Found {
  ia::Graph graph;
  rewrite::SearchResult result;
  OptimizeReport report;
};

Found found(rewrite::SearchBounds bounds, const std::set<std::string>& disabled = {}) {
  PlacementRuleRegistry rules;
  register_all_placement_rules(rules);
  const tra::Graph relations =
      tra::parse_graph({"test", kProduct}, expr::all_functions(), expr::all_aggregates());
  Communication communication;
  rewrite::Search<ia::Graph> search(
      rules, disabled, known().context,
      [&](const ia::Graph& graph) { return communication.of(graph).total(); }, bounds);
  Found found;
  const rewrite::View<ia::Graph> view;
  rewrite::Rewriting<ia::Graph> rewriting(to_ia(relations, 4), view, found.report);
  found.result = search.run(rewriting);
  found.graph = std::move(rewriting).finish();
  return found;
}

TEST(Search, HasAPlanAfterEveryStepAndNeverAWorseOne) {
  double cost = found({0, 64}).result.first_cost;
  for (int64_t steps = 0; steps < 60; ++steps) {
    const Found now = found({steps, 64});
    EXPECT_LE(now.result.cost, cost) << steps;
    EXPECT_LE(now.result.num_steps, steps);
    EXPECT_EQ(verify(now.graph, expr::all_functions()), std::vector<std::string>{});
    cost = now.result.cost;
  }
  EXPECT_LT(cost, found({0, 64}).result.first_cost);
}

TEST(Search, SaysWhetherItsBoundEndedIt) {
  EXPECT_TRUE(found({3, 64}).result.is_bounded);
  const Found all = found({1'000'000, 1'000'000});
  EXPECT_FALSE(all.result.is_bounded);
  EXPECT_EQ(found({500, 64}).result.cost, all.result.cost);
}

TEST(Search, IsDeterministic) {
  EXPECT_EQ(found({100, 64}).graph, found({100, 64}).graph);
}

TEST(Search, LeavesOutDisabledRulesAndSaysWhyOthersAreNotTaken) {
  const Found made = found({500, 64}, {"join_elsewhere", "place_input", "replicate_operands"});
  EXPECT_EQ(made.report.applications.count("join_elsewhere"), 0u);
  EXPECT_EQ(made.report.applications.at("drop_needless_move"), 0);
  const auto reason =
      std::find_if(made.report.reasons.begin(), made.report.reasons.end(),
                   [](const Reason& each) { return each.rule == "drop_needless_move"; });
  ASSERT_NE(reason, made.report.reasons.end());
  EXPECT_THAT(reason->text, testing::HasSubstr("are apart"));
}

TEST(Search, GoesToAGraphOnceThoughManyWaysLeadThere) {
  const Found all = found({1'000'000, 1'000'000});
  // Two inputs by a few maps each, and a join that is brought together in a few ways: without a
  // memo, no number of steps would be enough.
  EXPECT_LT(all.result.num_steps, 20'000);
}

}  // namespace
}  // namespace tessera::optimizer
