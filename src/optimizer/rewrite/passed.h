#pragma once

#include <string>
#include <vector>

#include "optimizer/rewrite/report.h"

namespace tessera::optimizer::rewrite {

/// What one pass over a graph made: a sweep of a rule, or a function of the whole.
template <class Graph>
struct Passed {
  Graph graph;
  std::vector<std::string> applied_at;  // the statements that changed, in topological order
  std::vector<Reason> reasons;
  /// Why the graph is none, where a node cannot be done over what was rewritten (Nodes::settle);
  /// else "".
  std::string problem = {};
};

}  // namespace tessera::optimizer::rewrite
