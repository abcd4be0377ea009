#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ir/ia/text.h"
#include "ir/ia/verify.h"
#include "ir/tra/text.h"
#include "optimizer/ia/chosen_graph.h"
#include "optimizer/ia/communication.h"
#include "optimizer/ia/plan_choice.h"
#include "optimizer/ia/rule.h"
#include "optimizer/lowering/to_ia.h"
#include "optimizer/passes.h"
#include "unit/expr/registries.h"
#include "unit/known.h"
#include "unit/optimizer/graph_search.h"

// Where each rule fires, and values: test/plans/rules/, plan_cases --mode placement-rules.

namespace tessera::optimizer::placement_search_test {
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

ia::Graph placed_at_first(const std::string& relations, int64_t num_sites) {
  return to_ia(tra::parse_graph({"test", relations}, expr::all_functions(), expr::all_aggregates()),
               num_sites);
}

PlacementRuleRegistry all_rules() {
  PlacementRuleRegistry rules;
  register_all_placement_rules(rules);
  return rules;
}

struct Found {
  ia::Graph graph;
  double first_cost = 0;
  double cost = 0;
  PlanChoice choice;
  bool is_bounded = false;
  int64_t num_steps = 0;
};

/// The cheapest plan of the memo, with moves shared.
Found found(const ia::Graph& initial, MemoBounds bounds = {}, size_t most_states = 100'000) {
  const PlacementRuleRegistry rules = all_rules();
  std::vector<const PlacementRule*> every;
  std::vector<const PlacementRule*> normalize;
  for (const PlacementRule& rule : rules.all()) {
    every.push_back(&rule);
    if (rule.phase == Phase::normalize) {
      normalize.push_back(&rule);
    }
  }
  Communication communication;
  const ia::Graph start = rewrite::normalized(initial, normalize, known().context);
  PlacementMemo memo(start, every, known().context, communication, bounds);
  Found found;
  found.first_cost = communication.of(start).total();
  found.choice = cheapest_plan(memo, most_states);
  found.is_bounded = memo.is_bounded();
  found.num_steps = memo.num_steps();
  found.graph = rewrite::normalized(*chosen_graph(memo, found.choice.alternatives), normalize,
                                    known().context);
  found.cost = communication.of(found.graph).total();
  return found;
}

rewrite::GraphSearchResult searched(const ia::Graph& initial, int64_t most_steps) {
  const PlacementRuleRegistry rules = all_rules();
  Communication communication;
  return rewrite::GraphSearch<ia::Graph>(
             rules, known().context,
             [&](const ia::Graph& graph) { return communication.of(graph).total(); },
             {most_steps, 1'000'000})
      .run(initial);
}

TEST(PlacementMemo, HasAPlanAfterEveryStepAndIsNeverDearerThanTheFirst) {
  const ia::Graph initial = placed_at_first(kProduct, 4);
  const double best = found(initial).cost;
  double cost = found(initial, {.most_steps = 0}).cost;
  EXPECT_EQ(cost, found(initial).first_cost);
  for (int64_t steps = 0; steps < 60; ++steps) {
    const Found now = found(initial, {.most_steps = steps});
    EXPECT_LE(now.cost, cost) << steps;
    EXPECT_GE(now.cost, best) << steps;
    EXPECT_EQ(now.cost, now.choice.bytes) << steps;
    EXPECT_EQ(verify(now.graph, expr::all_functions()), std::vector<std::string>{});
    cost = now.cost;
  }
  EXPECT_LT(best, found(initial).first_cost);
}

TEST(PlacementMemo, SaysWhetherABoundEndedIt) {
  const ia::Graph initial = placed_at_first(kProduct, 4);
  EXPECT_TRUE(found(initial, {.most_steps = 3}).is_bounded);
  EXPECT_TRUE(found(initial, {.most_alternatives = 2}).is_bounded);
  EXPECT_FALSE(found(initial).is_bounded);
  EXPECT_TRUE(found(initial, {}, 1).choice.is_bounded);
  EXPECT_FALSE(found(initial).choice.is_bounded);
}

TEST(PlacementMemo, IsDeterministic) {
  const ia::Graph initial = placed_at_first(kProduct, 4);
  EXPECT_EQ(found(initial).graph, found(initial).graph);
}

TEST(PlacementMemo, TellsApartATensorThatIsReadInTwoCuts) {
  const Found made = found(placed_at_first(
      "tra\n%0 = input A : (i:4x2,k:4x2) -> f64[i=8,k=8]\n"
      "%1 = input A : (k:2x4,j:2x4) -> f64[k=8,j=8]\n"
      "%2 = join(%0) on=(i,k) kernel={o[i] = sum[k] x0[i,k]} : (i:4x2,k:4x2) -> f64[i=8]\n"
      "%3 = aggregate(%2) keep=(i) by=sum:f64\n"
      "%4 = join(%1) on=(k,j) kernel={o[j] = sum[k] x0[k,j]} : (k:2x4,j:2x4) -> f64[j=8]\n"
      "%5 = aggregate(%4) keep=(j) by=sum:f64\noutput(%3) B\noutput(%5) C\n",
      2));
  EXPECT_EQ(made.cost, 0);
  EXPECT_EQ(verify(made.graph, expr::all_functions()), std::vector<std::string>{});
}

/// Products, sums of two, transposes and sums of rows of 8 x 8 matrices, each of any two of those
/// before it: what is read several times is not rare.
std::string drawn_relations(std::mt19937_64& draw, size_t num_statements, int64_t pieces) {
  const std::string grid = fmt::format("{}x{}", pieces, 8 / pieces);
  std::string text = "tra\n";
  int number = 0;
  const auto add = [&](const std::string& line) {
    text += fmt::format("%{} = {}\n", number, line);
    return number++;
  };
  std::vector<int> matrices;
  for (const char* name : {"A", "B", "C"}) {
    matrices.push_back(
        add(fmt::format("input {} : (i:{},j:{}) -> f64[i=8,j=8]", name, grid, grid)));
  }
  const auto any = [&] { return matrices[draw() % matrices.size()]; };
  for (size_t statement = 0; statement < num_statements; ++statement) {
    const int one = any();
    const int other = statement == 0 ? one : matrices.back();
    const std::string of_two = fmt::format("(i:{},j:{}) -> f64[i=8,j=8]", grid, grid);
    switch (draw() % 4) {
      case 0: {
        const int join =
            add(fmt::format("join(%{}, %{}) on=(i,k; k,j) kernel={{o[i,j] = sum[k] "
                            "x0[i,k] * x1[k,j]}} : (i:{},j:{},k:{}) -> f64[i=8,j=8]",
                            one, other, grid, grid, grid));
        matrices.push_back(add(fmt::format("aggregate(%{}) keep=(i,j) by=sum:f64", join)));
        break;
      }
      case 1:
        matrices.push_back(add(
            fmt::format("join(%{}, %{}) on=(i,j; j,i) kernel={{o[i,j] = x0[i,j] + x1[j,i]}} : {}",
                        one, other, of_two)));
        break;
      case 2:
        matrices.push_back(
            add(fmt::format("join(%{}) on=(j,i) kernel={{o[i,j] = x0[j,i]}} : {}", other, of_two)));
        break;
      default: {
        const int join = add(fmt::format(
            "join(%{}) on=(i,j) kernel={{o[i] = sum[j] x0[i,j]}} : (i:{},j:{}) -> f64[i=8]", other,
            grid, grid));
        const int sums = add(fmt::format("aggregate(%{}) keep=(i) by=sum:f64", join));
        matrices.push_back(
            add(fmt::format("join(%{}, %{}) on=(i,j; i) kernel={{o[i,j] = x0[i,j] - x1[i]}} : {}",
                            one, sums, of_two)));
      }
    }
  }
  return text + fmt::format("output(%{}) Y\n", matrices.back());
}

/// Against a search over whole graphs, which finds what is cheapest where its bound does not end
/// it. (It finds less in some: rules that ask whether others read a node are asked of one graph.)
TEST(PlacementMemo, FindsWhatASearchOverWholeGraphsFinds) {
  int64_t num_complete = 0;
  for (uint64_t seed = 0; seed < 240; ++seed) {
    std::mt19937_64 draw(seed);
    const int64_t pieces = seed % 3 == 0 ? 4 : 2;
    const std::string relations = drawn_relations(draw, 1 + seed % 3, pieces);
    const ia::Graph initial = placed_at_first(relations, seed % 2 == 0 ? 2 : 4);
    const Found memo = found(initial);
    const rewrite::GraphSearchResult whole = searched(initial, 600);
    EXPECT_LE(memo.cost, whole.cost * (1 + 1e-9)) << "seed " << seed << "\n" << relations;
    EXPECT_NEAR(memo.cost, memo.choice.bytes, memo.cost * 1e-9) << "seed " << seed;
    EXPECT_FALSE(memo.is_bounded || memo.choice.is_bounded) << "seed " << seed;
    EXPECT_EQ(verify(memo.graph, expr::all_functions()), std::vector<std::string>{});
    num_complete += whole.is_bounded ? 0 : 1;
  }
  EXPECT_GE(num_complete, 50);
}

/// The cheapest so far may have left nothing where all ways of a later relation want it.
TEST(PlacementMemo, FindsAPlanHoweverFewPartialOnesAreKept) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 draw(seed);
    const int64_t pieces = seed % 2 == 0 ? 2 : 4;
    const std::string relations = drawn_relations(draw, 3 + seed % 6, pieces);
    const ia::Graph initial = placed_at_first(relations, 4);
    for (const size_t most_states : {1, 2, 8}) {
      const Found bounded = found(initial, {}, most_states);
      EXPECT_EQ(verify(bounded.graph, expr::all_functions()), std::vector<std::string>{});
      EXPECT_LE(bounded.cost, bounded.first_cost * (1 + 1e-9)) << "seed " << seed;
    }
  }
}

TEST(PlacementMemo, IsNoDearerThanALongSearchOverTwentyStatements) {
  for (uint64_t seed = 1000; seed < 1004; ++seed) {
    std::mt19937_64 draw(seed);
    const ia::Graph initial = placed_at_first(drawn_relations(draw, 20, 2), 4);
    const Found memo = found(initial, {}, 1000);
    const rewrite::GraphSearchResult whole = searched(initial, 2000);
    EXPECT_LE(memo.cost, whole.cost) << "seed " << seed;
    EXPECT_EQ(verify(memo.graph, expr::all_functions()), std::vector<std::string>{});
  }
}

/// X0 W1 W2 ..., all 8 x 8 in 4 x 4 tiles.
std::string chain_of_products(int length) {
  std::string text = "tra\n%0 = input X : (i:4x2,j:4x2) -> f64[i=8,j=8]\n";
  for (int weight = 1; weight <= length; ++weight) {
    text += fmt::format("%{} = input W{} : (i:4x2,j:4x2) -> f64[i=8,j=8]\n", weight, weight);
  }
  int before = 0;
  for (int weight = 1; weight <= length; ++weight) {
    const int join = length + 2 * weight - 1;
    text += fmt::format(
        "%{} = join(%{}, %{}) on=(i,k; k,j) kernel={{o[i,j] = sum[k] x0[i,k] * "
        "x1[k,j]}} : (i:4x2,j:4x2,k:4x2) -> f64[i=8,j=8]\n"
        "%{} = aggregate(%{}) keep=(i,j) by=sum:f64\n",
        join, before, weight, join + 1, join);
    before = join + 1;
  }
  return text + fmt::format("output(%{}) Y\n", before);
}

TEST(PlacementMemo, GrowsWithTheProgram) {
  const Found one = found(placed_at_first(chain_of_products(1), 4));
  const Found ten = found(placed_at_first(chain_of_products(10), 4));
  const Found twenty = found(placed_at_first(chain_of_products(20), 4));
  EXPECT_LE(ten.cost, 10 * one.cost);
  EXPECT_EQ(twenty.cost, 2 * ten.cost);
  EXPECT_FALSE(twenty.is_bounded || twenty.choice.is_bounded);
  EXPECT_LE(twenty.num_steps, 2.2 * static_cast<double>(ten.num_steps));
  EXPECT_LE(static_cast<double>(twenty.choice.num_steps),
            2.2 * static_cast<double>(ten.choice.num_steps));
}

struct Rewritten {
  ia::Graph graph;
  OptimizeReport report;
};

/// The pass as a session runs it, steps kept.
Rewritten rewritten(const ia::Graph& initial, const std::set<std::string>& disabled) {
  PassRegistry passes;
  register_all_passes(passes);
  const PlacementRuleRegistry placement_rules = all_rules();
  const RelationRuleRegistry relation_rules;
  const PassContext context{known().context, relation_rules, placement_rules, disabled,
                            initial.num_sites};
  const rewrite::View<ia::Graph> view{
      [](const ia::Graph& graph) { return to_text(describe(graph, expr::all_aggregates())); }, {}};
  Rewritten made;
  made.graph = run_passes(initial, passes.ia, {"placement_search"}, context, view, made.report);
  return made;
}

TEST(PlacementSearch, ReportsTheRulesThatMadeThePlan) {
  const Rewritten made = rewritten(placed_at_first(kProduct, 4), {});
  ASSERT_FALSE(made.report.steps.empty());
  for (const Step& step : made.report.steps) {
    EXPECT_GT(made.report.applications.at(step.rule), 0) << step.rule;
    EXPECT_FALSE(step.vertices.empty()) << step.rule;
  }
  EXPECT_EQ(made.report.steps.back().after, to_text(describe(made.graph, expr::all_aggregates())));
  EXPECT_EQ(made.report.applications.at("placement_search"), 1);
}

TEST(PlacementSearch, LeavesOutDisabledRulesAndSaysWhyOthersAreNotTaken) {
  const Rewritten made = rewritten(placed_at_first(kProduct, 4),
                                   {"join_elsewhere", "place_input", "replicate_operands"});
  EXPECT_EQ(made.report.applications.count("join_elsewhere"), 0u);
  EXPECT_EQ(made.report.applications.at("drop_needless_move"), 0);
  const auto reason =
      std::find_if(made.report.reasons.begin(), made.report.reasons.end(),
                   [](const Reason& each) { return each.rule == "drop_needless_move"; });
  ASSERT_NE(reason, made.report.reasons.end());
  EXPECT_THAT(reason->text, testing::HasSubstr("are apart"));
}

}  // namespace
}  // namespace tessera::optimizer::placement_search_test
