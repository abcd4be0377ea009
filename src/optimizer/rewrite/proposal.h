#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "optimizer/rewrite/sweep.h"

namespace tessera::optimizer::rewrite {

/// One rewrite that a rule proposes for one node of a graph.
template <class Graph>
struct Proposal {
  std::string rule;
  size_t node = 0;
  Outcome<Graph> outcome;
};

/// The proposals of a rule for a graph, and its reasons for leaving other nodes alone.
template <class Graph>
struct Proposals {
  std::vector<Proposal<Graph>> each;
  std::vector<Reason> reasons;
};

/// Asks a rule about every node. The graph stays the same.
template <class Graph>
Proposals<Graph> proposals_of(Graph& graph, const Rule<Graph>& rule,
                              const kernels::Context& context) {
  Proposals<Graph> found;
  Rule<Graph> asking = rule;
  asking.begin_sweep = [&] {
    return [&found, &rule, ask = rule.begin_sweep(), number = size_t{0}](
               const NodeOf<Graph>& node, RuleContext<Graph>& around) mutable {
      Outcome<Graph> outcome = ask(node, around);
      const size_t at = number++;
      if (std::holds_alternative<NotApplied>(outcome)) {
        return outcome;
      }
      if (auto* alternatives = std::get_if<OneOf<Graph>>(&outcome)) {
        for (Rewritten<Graph>& each : alternatives->each) {
          found.each.push_back({rule.name, at, std::move(each)});
        }
      } else {
        found.each.push_back({rule.name, at, std::move(outcome)});
      }
      return Outcome<Graph>(NotApplied{});
    };
  };
  Passed<Graph> asked = sweep(std::move(graph), asking, context);
  graph = std::move(asked.graph);
  found.reasons = std::move(asked.reasons);
  return found;
}

/// Keeps the nodes that some output needs, and one node of each unread input: inputs are part of
/// the program's interface.
template <class Graph>
Graph without_unread(Graph graph, const kernels::Context& context) {
  std::set<std::string> sources;
  const std::vector<bool> needed = needed_nodes(graph);
  for (size_t node = 0; node < needed.size(); ++node) {
    if (const std::string* source = Nodes<Graph>::source(Nodes<Graph>::nodes(graph)[node]);
        source != nullptr && needed[node]) {
      sources.insert(*source);
    }
  }
  Rule<Graph> removing{
      "remove_unread", "", Phase::placed, [&] {
        return [&](const NodeOf<Graph>& node, const RuleContext<Graph>& around) -> Outcome<Graph> {
          const std::string* source = Nodes<Graph>::source(node);
          const bool stays =
              around.is_needed() || (source != nullptr && sources.insert(*source).second);
          return stays ? Outcome<Graph>(NotApplied{}) : Removed{};
        };
      }};
  return sweep(std::move(graph), removing, context).graph;
}

/// Sweeps a rule over a graph, and removes nodes that nothing reads any more.
template <class Graph>
Passed<Graph> swept(Graph graph, const Rule<Graph>& rule, const kernels::Context& context) {
  Passed<Graph> passed = sweep(std::move(graph), rule, context);
  if (!passed.applied_at.empty() && passed.problem.empty()) {
    passed.graph = without_unread(std::move(passed.graph), context);
  }
  return passed;
}

/// Applies one rewrite. REQUIRES that it was proposed for an equal graph.
template <class Graph>
Passed<Graph> applied(Graph graph, const Proposal<Graph>& proposal,
                      const kernels::Context& context) {
  Rule<Graph> once{proposal.rule, "", Phase::explore, [&] {
                     return [&proposal, number = size_t{0}](const NodeOf<Graph>&,
                                                            const RuleContext<Graph>&) mutable {
                       return number++ == proposal.node ? proposal.outcome
                                                        : Outcome<Graph>(NotApplied{});
                     };
                   }};
  return swept(std::move(graph), once, context);
}

}  // namespace tessera::optimizer::rewrite
