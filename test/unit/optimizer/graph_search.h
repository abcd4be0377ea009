#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "optimizer/rewrite/untaken.h"

namespace tessera::optimizer::rewrite {

/// What a search may take.
struct GraphSearchBounds {
  int64_t most_steps = 1000;  // rewrites that are tried
  size_t most_open = 64;      // graphs that are kept to go on from; the best are
};

/// What came of a search.
struct GraphSearchResult {
  double first_cost = 0;
  double cost = 0;
  int64_t num_steps = 0;
  bool is_bounded = false;  // it ended at its bound, with rewrites left to try
};

/// A best-first search over whole graphs that rules make of one, for the one that costs least: what
/// a memo of relations is compared with. Without a bound it looks at all that there are, which are
/// exponentially many.
///
/// From the cheapest graph that is known, rewrites are tried one after the other; where one gives a
/// cheaper graph the search goes on from that at once, and comes back later. `normalize` rules are
/// applied to every graph until none changes anything, `explore` rules where a search tries them. A
/// graph is told from others by its hash alone. Deterministic.
template <class Graph>
class GraphSearch {
 public:
  GraphSearch(const Registry<Rule<Graph>>& rules, const kernels::Context& context,
              CostOf<Graph> cost, GraphSearchBounds bounds)
      : context_(context), cost_(std::move(cost)), bounds_(bounds) {
    for (const Rule<Graph>& rule : rules.all()) {
      (rule.phase == Phase::explore ? explore_ : normalize_).push_back(&rule);
    }
  }

  GraphSearchResult run(Graph graph) {
    result_.first_cost = cost_(graph);
    explore(normalized(std::move(graph), normalize_, context_));
    return result_;
  }

 private:
  /// Costs are compared first, then the simpler graph is the better one.
  using Score = std::pair<double, size_t>;

  /// A graph to go on from, and what is left to try there.
  struct Open {
    Score score;
    size_t number;  // in the order they were met
    Graph graph;
    std::deque<Proposal<Graph>> left = {};
    bool is_asked = false;
  };

  /// Of equal graphs equal, and very likely of no others.
  static size_t hash_of(const Graph& graph) {
    std::string text;
    for (const NodeOf<Graph>& node : Nodes<Graph>::nodes(graph)) {
      text += fmt::format("{} ", Nodes<Graph>::hash(node));
    }
    for (const IdOf<Graph> output : Nodes<Graph>::outputs(graph)) {
      text += fmt::format("{} ", output.index());
    }
    return std::hash<std::string>()(text);
  }

  Score score_of(const Graph& graph) const {
    return {cost_(graph), Nodes<Graph>::nodes(graph).size()};
  }

  void explore(Graph graph) {
    Open first{score_of(graph), num_met_++, std::move(graph)};
    result_.cost = first.score.first;
    met_.insert(hash_of(first.graph));
    open_.push_back(std::move(first));
    while (!open_.empty() && !result_.is_bounded) {
      const auto next = std::min_element(open_.begin(), open_.end(), is_before);
      Open from = std::move(*next);
      open_.erase(next);
      go_on(from);
      if (!from.left.empty()) {
        keep_open(std::move(from));
      }
    }
  }

  /// Tries what is left of a graph until something cheaper comes of it.
  void go_on(Open& from) {
    if (!from.is_asked) {
      ask(from);
    }
    while (!from.left.empty()) {
      if (result_.num_steps == bounds_.most_steps) {
        result_.is_bounded = true;
        return;
      }
      ++result_.num_steps;
      const Proposal<Graph> proposal = std::move(from.left.front());
      from.left.pop_front();
      std::optional<Open> made = tried(from, proposal);
      if (!made) {
        continue;
      }
      const bool is_cheaper = made->score < from.score;
      result_.cost = std::min(result_.cost, made->score.first);
      keep_open(std::move(*made));
      if (is_cheaper) {
        return;
      }
    }
  }

  void ask(Open& from) const {
    for (const Rule<Graph>* rule : explore_) {
      Proposals<Graph> found = proposals_of(from.graph, *rule, context_);
      std::move(found.each.begin(), found.each.end(), std::back_inserter(from.left));
    }
    from.is_asked = true;
  }

  /// What a rewrite makes, if it is a graph and a new one.
  std::optional<Open> tried(const Open& from, const Proposal<Graph>& proposal) {
    Passed<Graph> passed = applied(Graph(from.graph), proposal, context_);
    if (!passed.problem.empty()) {
      return std::nullopt;
    }
    Graph graph = normalized(std::move(passed.graph), normalize_, context_);
    if (!met_.insert(hash_of(graph)).second) {
      return std::nullopt;
    }
    const Score score = score_of(graph);
    return Open{score, num_met_++, std::move(graph)};
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

  std::vector<const Rule<Graph>*> normalize_;
  std::vector<const Rule<Graph>*> explore_;
  const kernels::Context& context_;
  CostOf<Graph> cost_;
  GraphSearchBounds bounds_;
  std::unordered_set<size_t> met_;
  std::vector<Open> open_;
  size_t num_met_ = 0;
  GraphSearchResult result_;
};

}  // namespace tessera::optimizer::rewrite
