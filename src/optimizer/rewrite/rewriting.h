#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "optimizer/rewrite/passed.h"

namespace tessera::optimizer::rewrite {

/// Observers of a graph while it is rewritten.
template <class Graph>
struct View {
  /// Prints the graph for the report's steps; if empty, no steps are kept.
  std::function<std::string(const Graph&)> print;
  /// Sees every graph that a pass or a sweep of a rule changed; may throw.
  std::function<void(const std::string& name, const Graph& made)> look;
};

/// A graph that is being rewritten, and the report of its rewrites. The report and the view outlive
/// it.
template <class Graph>
class Rewriting {
 public:
  Rewriting(Graph graph, const View<Graph>& view, OptimizeReport& report)
      : graph_(std::move(graph)), view_(view), report_(report) {}

  const Graph& graph() const { return graph_; }
  OptimizeReport& report() { return report_; }
  Graph finish() && { return std::move(graph_); }
  /// True if anybody looks at the graphs between, or keeps them as steps.
  bool is_shown() const { return view_.print || view_.look; }
  bool keeps_steps() const { return static_cast<bool>(view_.print); }

  /// Replaces the graph by the result of a rule or a pass, and the rule's earlier reasons by new
  /// ones. Returns true if anything changed. REQUIRES that the result is a valid graph.
  bool apply(const std::string& name, const std::function<Passed<Graph>(Graph)>& rewrite) {
    std::string before = view_.print ? view_.print(graph_) : "";
    Passed<Graph> made = rewrite(std::move(graph_));
    TESSERA_CHECK(made.problem.empty(), "rule {}: {}", name, made.problem);
    graph_ = std::move(made.graph);
    keep_reasons(name, std::move(made.reasons));
    report_.applications[name] += static_cast<int64_t>(made.applied_at.size());
    if (made.applied_at.empty()) {
      return false;
    }
    if (view_.look) {
      view_.look(name, graph_);
    }
    if (view_.print) {
      report_.steps.push_back(
          {name, std::move(made.applied_at), std::move(before), view_.print(graph_)});
    }
    return true;
  }

  void keep_reasons(const std::string& name, std::vector<Reason> reasons) {
    std::erase_if(report_.reasons, [&](const Reason& old) { return old.rule == name; });
    std::move(reasons.begin(), reasons.end(), std::back_inserter(report_.reasons));
  }

 private:
  Graph graph_;
  const View<Graph>& view_;
  OptimizeReport& report_;
};

}  // namespace tessera::optimizer::rewrite
