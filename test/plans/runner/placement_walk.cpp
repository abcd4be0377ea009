#include "plans/runner/placement_walk.h"

#include <random>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "ir/ia/text.h"
#include "ir/ia/verify.h"
#include "optimizer/ia/rule.h"
#include "optimizer/rewrite/proposal.h"
#include "plans/runner/placed_run.h"

namespace tessera::plans {

namespace {

using optimizer::rewrite::Passed;
using optimizer::rewrite::Proposal;

/// Rewrites of one walk.
constexpr int kMostSteps = 8;

/// A rewrite as drawn: a rule first, so that those with many alternatives are not all there is.
std::optional<Proposal<ia::Graph>> drawn_rewrite(ia::Graph& graph, const engine::Session& session,
                                                 std::mt19937_64& draw) {
  std::vector<std::vector<Proposal<ia::Graph>>> by_rule;
  for (const optimizer::PlacementRule& rule : session.setup().placement_rules().all()) {
    auto found = optimizer::rewrite::proposals_of(graph, rule, session.context());
    if (!found.each.empty()) {
      by_rule.push_back(std::move(found.each));
    }
  }
  if (by_rule.empty()) {
    return std::nullopt;
  }
  const auto& proposals = by_rule[draw() % by_rule.size()];
  return proposals[draw() % proposals.size()];
}

void check_step(const ia::Graph& graph, const Case& each, const Baseline& baseline,
                const engine::Session& session) {
  const std::vector<std::string> problems = verify(graph, session.functions());
  TESSERA_CHECK(problems.empty(), "{}", fmt::join(problems, "\n"));
  const auto problem = difference(*baseline.results, run_placed(graph, each), each.tolerance);
  TESSERA_CHECK(!problem, "{}", *problem);
}

}  // namespace

ModeReport placement_walk(const Case& each, const Baseline& baseline,
                          const engine::Settings& settings, uint64_t seed) {
  ModeReport report;
  const engine::Session session(settings);
  std::mt19937_64 draw(seed);
  ia::Graph graph = *plan_case(each, session).placed();
  ++report.num_plans;
  std::string walk = fmt::format("{} sites, {}", settings.num_sites, tile_text(settings));
  for (int step = 0; step < kMostSteps && report.problems.empty(); ++step) {
    const auto proposal = drawn_rewrite(graph, session, draw);
    if (!proposal) {
      break;
    }
    walk += ", " + proposal->rule;
    Passed<ia::Graph> passed =
        optimizer::rewrite::applied(ia::Graph(graph), *proposal, session.context());
    if (!passed.problem.empty()) {
      continue;  // the rewrite is none: something cannot be done where tuples would lie
    }
    graph = std::move(passed.graph);
    ++report.num_plans;
    noting_problems(report, each, walk, [&] {
      ++report.num_runs;
      check_step(graph, each, baseline, session);
    });
  }
  return report;
}

}  // namespace tessera::plans
