#pragma once

#include "ir/einsum/graph.h"

namespace tessera::engine {

/// Returns the graph with a copy statement in place of every result that is an input and is not
/// read in pieces of all its modes. A statement is cut by the budget; an input is cut by its
/// reader, and would be copied to its file in one piece without one.
einsum::Graph with_copied_results(einsum::Graph graph);

}  // namespace tessera::engine
