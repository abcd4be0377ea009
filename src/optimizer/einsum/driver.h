#pragma once

#include <set>
#include <string>
#include <vector>

#include "optimizer/einsum/rule.h"
#include "optimizer/rewrite/fixpoint.h"
#include "optimizer/rewrite/rewriting.h"

namespace tessera::optimizer {

struct OptimizeOptions {
  std::set<std::string> disabled;  // rules by name; others belong to later stages
  rewrite::View<einsum::Graph> view;
  /// If no order of a contraction keeps the bound, a Reason of rule contraction_path tells which
  /// bound can be kept.
  rewrite::RewriteWishes wishes;
  /// Rounds over the normalize rules after which they are assumed to undo each other.
  int64_t max_rounds = rewrite::kMostRounds;
};

struct Optimized {
  einsum::Graph graph;
  OptimizeReport report;
};

/// Rewrites a graph into one that computes the same outputs with less work
/// (optimizer/pipeline.cpp).
///
/// Inputs stay, read or not. Deterministic: the same graph and options give the same result.
/// Errors: `internal` if the rules do not end, with those that undo each other.
Optimized optimize(const einsum::Graph& graph, const RuleRegistry& rules,
                   const kernels::Context& context, const OptimizeOptions& options);

}  // namespace tessera::optimizer
