#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "optimizer/rewrite/fixpoint.h"
#include "optimizer/rewrite/memo.h"
#include "optimizer/rewrite/proposal.h"
#include "optimizer/rewrite/rewriting.h"

namespace tessera::optimizer::rewrite {

/// What a graph costs, in a unit of the stage's choice: seconds, bytes that are moved.
template <class Graph>
using CostOf = std::function<double(const Graph&)>;

/// What a search may take.
struct SearchBounds {
  int64_t most_steps = 1000;  // rewrites that are tried
  size_t most_open = 64;      // graphs that are kept to go on from; the best are
};

/// What came of a search.
struct SearchResult {
  double first_cost = 0;
  double cost = 0;
  int64_t num_steps = 0;
  bool is_bounded = false;  // it ended at its bound, with rewrites left to try
};

/// A best-first search over the graphs that rules make of one, for the one that costs least.
///
/// From the cheapest graph that is known, rewrites are tried one after the other; where one gives a
/// cheaper graph the search goes on from that at once, and comes back later. `normalize` rules are
/// applied to every graph until none changes anything, `explore` rules where a search tries them. A
/// graph that was met before (Memo) is not looked at again. It can be stopped after any step: what
/// it has is the best that it met. Deterministic.
template <class Graph>
class Search {
 public:
  Search(const Registry<Rule<Graph>>& rules, const std::set<std::string>& disabled,
         const kernels::Context& context, CostOf<Graph> cost, SearchBounds bounds)
      : context_(context), cost_(std::move(cost)), bounds_(bounds) {
    for (const Rule<Graph>& rule : rules.all()) {
      if (disabled.count(rule.name) == 0) {
        (rule.phase == Phase::explore ? explore_ : normalize_).push_back(&rule);
      }
    }
  }

  /// Puts the best graph that is found in the place of one, rewrite by rewrite, so that the report
  /// has a step for each; the reasons say why none of the others is taken.
  SearchResult run(Rewriting<Graph>& rewriting) {
    for (const std::vector<const Rule<Graph>*>& rules : {normalize_, explore_}) {
      for (const Rule<Graph>* rule : rules) {
        rewriting.report().applications[rule->name] += 0;
      }
    }
    result_.first_cost = cost_(rewriting.graph());
    normalize(rewriting);
    const size_t best = explore(rewriting.graph());
    for (const Proposal<Graph>& proposal : memo_.path_to(best)) {
      rewriting.apply(proposal.rule,
                      [&](Graph graph) { return applied(std::move(graph), proposal, context_); });
      normalize(rewriting);
    }
    result_.cost = cost_(rewriting.graph());
    keep_reasons(rewriting);
    return result_;
  }

 private:
  /// A graph to go on from, and what is left to try there.
  struct Open {
    Score score;
    size_t number;  // in the memo
    Graph graph;
    std::deque<Proposal<Graph>> left = {};
    bool is_asked = false;
  };

  Score score_of(const Graph& graph) const {
    return {cost_(graph), Nodes<Graph>::nodes(graph).size()};
  }

  void normalize(Rewriting<Graph>& rewriting) const {
    to_fixpoint(normalize_, [&](const Rule<Graph>& rule) {
      return rewriting.apply(rule.name,
                             [&](Graph graph) { return swept(std::move(graph), rule, context_); });
    });
  }

  Graph normalized(Graph graph) const {
    to_fixpoint(normalize_, [&](const Rule<Graph>& rule) {
      Passed<Graph> passed = swept(std::move(graph), rule, context_);
      graph = std::move(passed.graph);
      return !passed.applied_at.empty();
    });
    return graph;
  }

  /// The number of the best graph that is met from this one.
  size_t explore(const Graph& graph) {
    Open first{score_of(graph), 0, graph};
    size_t best = memo_.add(Nodes<Graph>::hash(graph), {first.score, std::nullopt, {}});
    open_.push_back(std::move(first));
    while (!open_.empty() && !result_.is_bounded) {
      const auto next = std::min_element(open_.begin(), open_.end(), is_before);
      Open from = std::move(*next);
      open_.erase(next);
      if (const std::optional<size_t> better = go_on(from, memo_.at(best).score)) {
        best = *better;
      }
      if (!from.left.empty()) {
        keep_open(std::move(from));
      }
    }
    return best;
  }

  /// Tries what is left of a graph until something cheaper comes of it; says if it is the best.
  std::optional<size_t> go_on(Open& from, Score best) {
    if (!from.is_asked) {
      ask(from);
    }
    while (!from.left.empty()) {
      if (result_.num_steps == bounds_.most_steps) {
        result_.is_bounded = true;
        return std::nullopt;
      }
      ++result_.num_steps;
      Proposal<Graph> proposal = std::move(from.left.front());
      from.left.pop_front();
      std::optional<Open> made = tried(from, std::move(proposal));
      if (made && made->score < from.score) {
        const size_t number = made->number;
        const bool is_best = made->score < best;
        keep_open(std::move(*made));
        return is_best ? std::optional(number) : std::nullopt;
      }
      if (made) {
        keep_open(std::move(*made));
      }
    }
    return std::nullopt;
  }

  void ask(Open& from) const {
    for (const Rule<Graph>* rule : explore_) {
      Proposals<Graph> found = proposals_of(from.graph, *rule, context_);
      std::move(found.each.begin(), found.each.end(), std::back_inserter(from.left));
    }
    from.is_asked = true;
  }

  /// What a rewrite makes, if it is a graph and a new one.
  std::optional<Open> tried(const Open& from, Proposal<Graph> proposal) {
    Passed<Graph> passed = applied(Graph(from.graph), proposal, context_);
    if (!passed.problem.empty()) {
      return std::nullopt;
    }
    Graph graph = normalized(std::move(passed.graph));
    const size_t hash = Nodes<Graph>::hash(graph);
    if (memo_.has(hash)) {
      return std::nullopt;
    }
    const Score score = score_of(graph);
    const size_t number = memo_.add(hash, {score, from.number, std::move(proposal)});
    return Open{score, number, std::move(graph)};
  }

  static bool is_before(const Open& one, const Open& other) {
    return std::pair(one.score, one.number) < std::pair(other.score, other.number);
  }

  /// Keeps the best that there is room for.
  void keep_open(Open open) {
    open_.push_back(std::move(open));
    if (open_.size() > bounds_.most_open) {
      open_.erase(std::max_element(open_.begin(), open_.end(), is_before));
    }
  }

  /// Why rewrites of the graph that was chosen are not taken.
  void keep_reasons(Rewriting<Graph>& rewriting) const {
    Graph graph = rewriting.graph();
    const Score score = score_of(graph);
    int64_t num_asked = 0;
    for (const Rule<Graph>* rule : explore_) {
      Proposals<Graph> found = proposals_of(graph, *rule, context_);
      for (const Proposal<Graph>& proposal : found.each) {
        if (++num_asked > bounds_.most_steps) {
          break;
        }
        note(found.reasons, {rule->name, Nodes<Graph>::name(node_of(graph, proposal)),
                             reason_against(graph, proposal, score)});
      }
      rewriting.keep_reasons(rule->name, std::move(found.reasons));
    }
  }

  /// Adds a reason; of several alternatives many have the same.
  static void note(std::vector<Reason>& reasons, Reason reason) {
    const bool is_known = std::any_of(reasons.begin(), reasons.end(), [&](const Reason& other) {
      return other.vertex == reason.vertex && other.text == reason.text;
    });
    if (!is_known) {
      reasons.push_back(std::move(reason));
    }
  }

  static const NodeOf<Graph>& node_of(const Graph& graph, const Proposal<Graph>& proposal) {
    return Nodes<Graph>::nodes(graph)[proposal.node];
  }

  std::string reason_against(const Graph& graph, const Proposal<Graph>& proposal,
                             const Score& score) const {
    Passed<Graph> passed = applied(Graph(graph), proposal, context_);
    if (!passed.problem.empty()) {
      return passed.problem;
    }
    const double cost = score_of(normalized(std::move(passed.graph))).cost;
    return cost == score.cost
               ? "it would gain nothing"
               : fmt::format("it would cost {:.6g} instead of {:.6g}", cost, score.cost);
  }

  std::vector<const Rule<Graph>*> normalize_;
  std::vector<const Rule<Graph>*> explore_;
  const kernels::Context& context_;
  CostOf<Graph> cost_;
  SearchBounds bounds_;
  Memo<Graph> memo_;
  std::vector<Open> open_;
  SearchResult result_;
};

}  // namespace tessera::optimizer::rewrite
