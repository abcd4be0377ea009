#include "optimizer/einsum/driver.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "optimizer/passes.h"
#include "unit/known.h"
#include "unit/optimizer/rewriting.h"

namespace tessera::optimizer::driver_test {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

const std::string kProgram =
    "%0 = input A : f32[i=8,j=9]\n%1 = input B : f32[j=9,k=10]\n%2 = input Unread : f32[i=8]\n"
    "%3 = einsum(%2) {Dead[i] = exp(Unread[i])} : f32[i=8]\n"
    "%4 = einsum(%0) {N[i,j] = negative(A[i,j])} : f32[i=8,j=9]\n"
    "%5 = einsum(%4) {E[i,j] = exp(N[i,j])} : f32[i=8,j=9]\n"
    "%6 = einsum(%5, %1) {S[i,k] = sum[j] E[i,j] * B[j,k] * 0.5:f32} : f32[i=8,k=10]\n"
    "output(%6) S\n";

TEST(Optimize, AppliesEveryRuleAndCounts) {
  const Optimized made = optimize(graph_of(kProgram), all_rules(), known().context, {});
  EXPECT_EQ(statements_of(made.graph),
            "E[i,j] = exp(-A[i,j]) : f32[i=8,j=9]\n"
            "S.1[i,k] = sum[j] E[i,j] * B[j,k] : f32[i=8,k=10]\n"
            "S[i,k] = S.1[i,k] * 0.5 : f32[i=8,k=10]\n");
  EXPECT_EQ(made.graph.vertices.size(), 6u);  // three inputs stay
  EXPECT_EQ(made.report.applications.at("merge_elementwise"), 1);
  EXPECT_EQ(made.report.applications.at("contraction_path"), 0);
  EXPECT_TRUE(made.report.steps.empty());
}

TEST(Optimize, LeavesOutDisabledRules) {
  OptimizeOptions options;
  for (const std::string& name : all_rules().names()) {
    options.disabled.insert(name);
  }
  const einsum::Graph graph = graph_of(kProgram);
  EXPECT_EQ(optimize(graph, all_rules(), known().context, options).graph, graph);
}

TEST(CheckNames, RefusesRulesThatAreNotKnown) {
  EXPECT_EQ(
      message_of([&] { check_names({"merge_elementwis"}, all_rules().names()); }),
      "there is no optimizer rule merge_elementwis; did you mean 'merge_elementwise'? the "
      "rules are aggregate_of_repeated, aggregate_of_scan, common_subexpressions, compose_gathers, "
      "contraction_path, copy_of_scan, "
      "difference_of_scan, divide_a_factor, gather_from_source, hoist_factors, last_of_scan, "
      "mean_of_product, "
      "merge_elementwise, pull_factor_out_of_scan, pull_factor_out_of_sum, "
      "pull_scalar_factor_out_of_sum, "
      "read_through_copy, "
      "remove_unused, scan_of_one, scan_of_repeated, split_sum_of_products");
}

TEST(Optimize, KeepsStepsWhereItCanPrint) {
  OptimizeOptions options;
  options.view.print = &statements_of;
  options.disabled = {"remove_unused", "pull_scalar_factor_out_of_sum"};
  const Optimized made = optimize(graph_of(kProgram), all_rules(), known().context, options);
  ASSERT_EQ(made.report.steps.size(), 1u);
  EXPECT_EQ(made.report.steps[0].rule, "merge_elementwise");
  EXPECT_EQ(made.report.steps[0].vertices, std::vector<std::string>{"E"});
  EXPECT_NE(made.report.steps[0].before, made.report.steps[0].after);
  EXPECT_EQ(made.report.steps[0].after, statements_of(made.graph));
}

/// Turns one statement into the other, for ever.
Rule renaming_rule(const std::string& name, const std::string& from, const std::string& to) {
  return {name, "rename", Phase::normalize, [=] {
            return VertexRewrite([=](const einsum::Vertex& vertex, const RuleContext&) -> Outcome {
              if (vertex.name != from) {
                return NotApplied{};
              }
              einsum::Vertex renamed = vertex;
              renamed.name = to;
              return Rewritten{{renamed}};
            });
          }};
}

TEST(Optimize, NamesRulesThatUndoEachOther) {
  RuleRegistry rules;
  rules.add(renaming_rule("to_tick", "S", "T"));
  rules.add(renaming_rule("to_tock", "T", "S"));
  EXPECT_EQ(
      message_of([&] { optimize(graph_of(kProgram), rules, known().context, {}); }),
      "after 100 rounds the rules to_tick, to_tock still undo each other; switch one of them off");
}

TEST(Optimize, NamesARuleThatComesToNoEndByItself) {
  RuleRegistry rules;
  rules.add(renaming_rule("to_same", "S", "S"));
  EXPECT_EQ(message_of([&] { optimize(graph_of(kProgram), rules, known().context, {}); }),
            "after 100 rounds the rules to_same still undo each other; switch one of them off");
}

TEST(Optimize, SaysWhereARuleFailed) {
  RuleRegistry rules;
  rules.add({"broken", "fails", Phase::normalize, [] {
               return VertexRewrite([](const einsum::Vertex&, const RuleContext&) -> Outcome {
                 throw_error(ErrorKind::internal, "no");
               });
             }});
  EXPECT_EQ(message_of([&] { optimize(graph_of(kProgram), rules, known().context, {}); }),
            "no\n  in rule broken at vertex A");
}

/// The rules, each adding to a count whenever it looks at a vertex.
RuleRegistry counting(const RuleRegistry& rules, int64_t& looks) {
  RuleRegistry counted;
  for (Rule rule : rules.all()) {
    rule.begin_sweep = [&looks, begin = rule.begin_sweep] {
      return VertexRewrite(
          [&looks, rewrite = begin()](const einsum::Vertex& vertex, RuleContext& around) {
            ++looks;
            return rewrite(vertex, around);
          });
    };
    counted.add(std::move(rule));
  }
  return counted;
}

TEST(Optimize, SweepsOverALongProgramAFewTimes) {
  std::string text =
      "%0 = input A : f32[i=8,j=8]\n%1 = einsum(%0) {V1[i,j] = exp(A[i,j])} : f32[i=8,j=8]\n";
  for (int vertex = 2; vertex < 1000; ++vertex) {
    text += vertex % 3 == 0
                ? fmt::format(
                      "%{0} = einsum(%{1}, %0) {{V{0}[i,k] = sum[j] V{1}[i,j] * A[j,k] * 0.5:f32}} "
                      ": f32[i=8,k=8]\n",
                      vertex, vertex - 1)
                : fmt::format(
                      "%{0} = einsum(%{1}) {{V{0}[i,j] = V{1}[i,j] + 1.0:f32}} : f32[i=8,j=8]\n",
                      vertex, vertex - 1);
  }
  const einsum::Graph graph = graph_of(text + "output(%999) out\n");
  int64_t looks = 0;
  const RuleRegistry rules = counting(all_rules(), looks);
  const Optimized made = optimize(graph, rules, known().context, {});
  const size_t num_sweeps = 5 * rules.all().size();
  EXPECT_LE(looks, static_cast<int64_t>(num_sweeps * graph.vertices.size()));
  EXPECT_LT(made.graph.vertices.size(), graph.vertices.size());
}

/// Every statement reads the two before it; the last one takes them in, one after the other.
std::string sums_of_two(int num_statements) {
  std::string text = "%0 = input V0 : f32[i=8]\n%1 = input V1 : f32[i=8]\n";
  for (int vertex = 2; vertex < num_statements + 2; ++vertex) {
    text += fmt::format("%{0} = einsum(%{1}, %{2}) {{V{0}[i] = V{1}[i] + V{2}[i]}} : f32[i=8]\n",
                        vertex, vertex - 1, vertex - 2);
  }
  return text + fmt::format("output(%{}) out\n", num_statements + 1);
}

TEST(Optimize, AsksOnlyTheRuleThatChangesSomethingAgain) {
  const einsum::Graph graph = graph_of(sums_of_two(40));
  int64_t looks = 0;
  const RuleRegistry rules = counting(all_rules(), looks);
  const Optimized made = optimize(graph, rules, known().context, {});
  const int64_t merged = made.report.applications.at("merge_elementwise");
  EXPECT_GE(merged, 30);
  const int64_t num_sweeps = merged + 4 * static_cast<int64_t>(rules.all().size());
  EXPECT_LE(looks, num_sweeps * static_cast<int64_t>(graph.vertices.size()));
}

TEST(Optimize, KeepsReasonsInTheOrderOfTheRules) {
  const Optimized made = optimize(graph_of(sums_of_two(80)), all_rules(), known().context, {});
  std::vector<std::string> names;  // of the normalize rules, by reason
  for (const Reason& reason : made.report.reasons) {
    if (all_rules().find(reason.rule)->phase == Phase::normalize) {
      names.push_back(reason.rule);
    }
  }
  EXPECT_NE(std::find(names.begin(), names.end(), "merge_elementwise"), names.end());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));  // as the registry is
}

TEST(Rules, OverRelationsAndPlacementsSayTheirLaw) {
  RelationRuleRegistry relations;
  register_all_relation_rules(relations);
  for (const RelationRule& rule : relations.all()) {
    EXPECT_NE(rule.law.find(" = "), std::string::npos) << rule.name;
  }
  PlacementRuleRegistry placements;
  register_all_placement_rules(placements);
  for (const PlacementRule& rule : placements.all()) {
    EXPECT_NE(rule.law.find(", if "), std::string::npos) << rule.name;
  }
}

}  // namespace
}  // namespace tessera::optimizer::driver_test
