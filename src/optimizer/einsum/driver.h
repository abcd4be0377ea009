#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/sweep.h"

namespace tessera::optimizer {

struct OptimizeOptions {
  std::set<std::string> disabled;  // rules by name, and "fuse" (fuse.h), which is none of these
  /// How a graph is printed for the report's steps; without it no steps are kept.
  std::function<std::string(const einsum::Graph&)> print;
  /// Sees the graph that a sweep of a rule made, where it changed something; may throw.
  std::function<void(const std::string& rule, const einsum::Graph& made)> look;
  /// What an intermediate of a contraction should not exceed. Where no order keeps to it, a Reason
  /// of rule contraction_path says which bound can be kept.
  std::optional<int64_t> largest_intermediate_bytes;
  /// Rounds over the normalize rules after which they are taken to undo each other.
  int64_t max_rounds = 100;
};

/// One sweep of a rule that changed something.
struct Step {
  std::string rule;
  std::vector<std::string> vertices;  // where it was applied
  std::string before;                 // the whole graph, printed
  std::string after;
};

struct OptimizeReport {
  std::map<std::string, int64_t>
      applications;  // of every rule that is not disabled, also where it is 0
  std::vector<Step> steps;
  /// Of the last sweep of every rule: why it left a vertex of the result alone, or what is to be
  /// said of how it rewrote one.
  std::vector<Reason> reasons;
};

struct Optimized {
  einsum::Graph graph;
  OptimizeReport report;
};

/// Rewrites a graph into one that computes the same outputs with less work (pipeline.cpp).
///
/// Inputs stay, also those that are no longer read. Deterministic: the same graph and options give
/// the same result. Errors: a user Error for a disabled rule that does not exist; an internal one,
/// with the rules that undo each other, where they come to no end.
Optimized optimize(const einsum::Graph& graph, const RuleRegistry& rules,
                   const kernels::Context& context, const OptimizeOptions& options);

}  // namespace tessera::optimizer
