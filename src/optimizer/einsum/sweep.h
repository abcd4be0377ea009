#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/einsum/rule.h"

namespace tessera::optimizer {

/// Why a rule left a vertex alone, or what is to be said of how it was rewritten.
struct Reason {
  std::string rule;
  std::string vertex;
  std::string text;
};

/// What one pass of a rule over a graph made.
struct Sweep {
  einsum::Graph graph;
  std::vector<std::string>
      applied_at;  // the names of the vertices that changed, in topological order
  std::vector<Reason> reasons;
};

/// Applies a rule to every vertex, in topological order; a vertex sees its operands as the rule
/// left them.
///
/// Cost: in proportion to the size of the graph, besides what the rule does.
/// Errors: those of the rule, with its name and the vertex as context.
Sweep sweep(einsum::Graph graph, const Rule& rule, const kernels::Context& context,
            std::optional<int64_t> largest_intermediate_bytes = {});

}  // namespace tessera::optimizer
