#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "optimizer/rewrite/fixpoint.h"
#include "optimizer/rewrite/proposal.h"

namespace tessera::optimizer::rewrite {

/// The cost of a graph, in a unit of the stage's choice: seconds, bytes that are moved.
template <class Graph>
using CostOf = std::function<double(const Graph&)>;

/// Returns a graph after these rules, applied in turn until none changes anything.
template <class Graph>
Graph normalized(Graph graph, const std::vector<const Rule<Graph>*>& rules,
                 const kernels::Context& context) {
  to_fixpoint(rules, [&](const Rule<Graph>& rule) {
    Passed<Graph> passed = swept(std::move(graph), rule, context);
    graph = std::move(passed.graph);
    return !passed.applied_at.empty();
  });
  return graph;
}

/// An explanation of why rewrites of a chosen graph are not taken: the rule's reason, or the cost
/// of the graph after the rewrite and `normalize`. Each costs a copy of the graph, so at most
/// `most` are looked at per call.
template <class Graph>
class Untaken {
 public:
  Untaken(std::vector<const Rule<Graph>*> normalize, const kernels::Context& context,
          CostOf<Graph> cost, int64_t most)
      : normalize_(std::move(normalize)), context_(context), cost_(std::move(cost)), most_(most) {}

  std::vector<Reason> reasons(Graph graph, const Rule<Graph>& rule) const {
    Proposals<Graph> found = proposals_of(graph, rule, context_);
    const double cost = cost_(graph);
    int64_t num_asked = 0;
    for (const Proposal<Graph>& proposal : found.each) {
      if (++num_asked > most_) {
        break;
      }
      const std::string& statement = Nodes<Graph>::name(Nodes<Graph>::nodes(graph)[proposal.node]);
      note(found.reasons, {rule.name, statement, reason_against(graph, proposal, cost)});
    }
    return std::move(found.reasons);
  }

 private:
  /// Adds a reason once: many alternatives have the same.
  static void note(std::vector<Reason>& reasons, Reason reason) {
    const bool is_known = std::any_of(reasons.begin(), reasons.end(), [&](const Reason& other) {
      return other.vertex == reason.vertex && other.text == reason.text;
    });
    if (!is_known) {
      reasons.push_back(std::move(reason));
    }
  }

  std::string reason_against(const Graph& graph, const Proposal<Graph>& proposal,
                             double cost) const {
    Passed<Graph> passed = applied(Graph(graph), proposal, context_);
    if (!passed.problem.empty()) {
      return passed.problem;
    }
    const double instead = cost_(normalized(std::move(passed.graph), normalize_, context_));
    return instead == cost ? "it would gain nothing"
                           : fmt::format("it would cost {:.6g} instead of {:.6g}", instead, cost);
  }

  std::vector<const Rule<Graph>*> normalize_;
  const kernels::Context& context_;
  CostOf<Graph> cost_;
  int64_t most_;
};

}  // namespace tessera::optimizer::rewrite
