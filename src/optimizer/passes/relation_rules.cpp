#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/tra/key_set.h"
#include "ir/tra/verify.h"
#include "optimizer/passes.h"
#include "optimizer/rewrite/fixpoint.h"
#include "optimizer/rewrite/proposal.h"

namespace tessera::optimizer::pass_relation_rules {

namespace {

using rewrite::Passed;
using rewrite::Rewriting;

/// On one site a plan makes no tuple that nothing needs, wherever a filter stands
/// (plan/needed_keys.h). On several, a filter behind a move lets tuples move in vain.
bool is_wanted(const tra::Graph&, const PassContext& context) {
  return context.num_sites > 1;
}

bool has_absent_tuples(const tra::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const tra::Node& node) { return !tra::has_all(node.type.present); });
}

/// Sweeps a rule over a graph. Keeps the graph if the result is inconsistent: a tuple that a filter
/// leaves out is absent by design, a group that a filter before the aggregate empties stands for
/// the identity of the merge, and readers may disagree with that (ir/tra/absence.h).
Passed<tra::Graph> soundly_swept(tra::Graph graph, const RelationRule& rule,
                                 const kernels::Context& known) {
  if (!has_absent_tuples(graph)) {
    return rewrite::swept(std::move(graph), rule, known);
  }
  Passed<tra::Graph> made = rewrite::swept(graph, rule, known);
  if (made.applied_at.empty()) {
    return made;
  }
  const std::vector<std::string> problems = tra::verify(made.graph, known.functions);
  if (problems.empty()) {
    return made;
  }
  const std::string reason =
      fmt::format("what it makes would not hold together: {}", problems.front());
  Passed<tra::Graph> kept{std::move(graph), {}, std::move(made.reasons)};
  for (const std::string& statement : made.applied_at) {
    kept.reasons.push_back({rule.name, statement, reason});
  }
  return kept;
}

void run(Rewriting<tra::Graph>& rewriting, const PassContext& context) {
  std::vector<const RelationRule*> rules;
  for (const RelationRule& rule : context.relation_rules.all()) {
    if (context.is_enabled(rule.name)) {
      rewriting.report().applications[rule.name] += 0;
      rules.push_back(&rule);
    }
  }
  rewrite::to_fixpoint(rules, [&](const RelationRule& rule) {
    return rewriting.apply(rule.name, [&](tra::Graph graph) {
      return soundly_swept(std::move(graph), rule, context.known);
    });
  });
  rewrite::sort_reasons(rewriting.report().reasons, rules);
}

}  // namespace

void register_pass(PassRegistry& registry) {
  registry.tra.add({.name = "relation_rules",
                    .summary = "on several sites, leave out tuples before they are moved",
                    .is_wanted = &is_wanted,
                    .run = &run});
}

}  // namespace tessera::optimizer::pass_relation_rules
