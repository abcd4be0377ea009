#include <utility>
#include <vector>

#include "optimizer/passes.h"
#include "optimizer/rewrite/fixpoint.h"
#include "optimizer/rewrite/proposal.h"

namespace tessera::optimizer {

namespace {

using rewrite::Rewriting;

/// On one site a plan makes no tuple that nothing needs, wherever a filter stands
/// (plan/needed_keys.h); on several, a placement moves those that are filtered out behind a move.
bool is_wanted(const tra::Graph&, const PassContext& context) {
  return context.num_sites > 1;
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
      return rewrite::swept(std::move(graph), rule, context.known);
    });
  });
}

}  // namespace

void register_pass_relation_rules(PassRegistry& registry) {
  registry.tra.add({.name = "relation_rules",
                    .summary = "on several sites, leave out tuples before they are moved",
                    .is_wanted = &is_wanted,
                    .run = &run});
}

}  // namespace tessera::optimizer
