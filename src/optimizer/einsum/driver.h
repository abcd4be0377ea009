#pragma once

#include <set>
#include <string>
#include <vector>

#include "optimizer/einsum/rule.h"
#include "optimizer/rewrite/fixpoint.h"
#include "optimizer/rewrite/rewriting.h"

namespace tessera::optimizer {

struct OptimizeOptions {
  std::set<std::string> disabled;  // rules by name; others are of later stages
  rewrite::View<einsum::Graph> view;
  /// Where no order of a contraction keeps to the bound, a Reason of rule contraction_path says
  /// which can be kept.
  rewrite::RewriteWishes wishes;
  /// Rounds over the normalize rules after which they are taken to undo each other.
  int64_t max_rounds = rewrite::kMostRounds;
};

struct Optimized {
  einsum::Graph graph;
  OptimizeReport report;
};

/// Rewrites a graph into one that computes the same outputs with less work
/// (optimizer/pipeline.cpp).
///
/// Inputs stay, also those that are no longer read. Deterministic: the same graph and options give
/// the same result. Errors: internal, with the rules that undo each other, where they come to no
/// end.
Optimized optimize(const einsum::Graph& graph, const RuleRegistry& rules,
                   const kernels::Context& context, const OptimizeOptions& options);

}  // namespace tessera::optimizer
