#pragma once

#include <string>

#include "ir/einsum/graph.h"
#include "optimizer/einsum/rule.h"

namespace tessera::optimizer {

/// The graph that an einsum text describes, verified. The first line `einsum` is added.
einsum::Graph graph_of(const std::string& text);

/// Its statements, one per line, inputs left out: "out[i] = sum[j] A[i,j] : f32[i=2]".
std::string statements_of(const einsum::Graph& graph);

/// Every rule.
const RuleRegistry& all_rules();

}  // namespace tessera::optimizer
