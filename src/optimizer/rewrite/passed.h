#pragma once

#include <string>
#include <vector>

#include "optimizer/rewrite/report.h"

namespace tessera::optimizer::rewrite {

/// The result of one pass over a graph: a sweep of a rule, or a function of the whole.
template <class Graph>
struct Passed {
  Graph graph;
  std::vector<std::string> applied_at;  // the statements that changed, in topological order
  std::vector<Reason> reasons;
  /// The reason that the graph is invalid, if a node cannot be done over its rewritten inputs
  /// (Nodes::settle); else "".
  std::string problem = {};
};

}  // namespace tessera::optimizer::rewrite
