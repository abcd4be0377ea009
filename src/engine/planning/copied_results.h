#pragma once

#include "ir/einsum/graph.h"

namespace tessera::engine {

/// The graph with a copy, which is a statement, in place of every result that is an input and is
/// not read in pieces of all its modes. A statement is cut as the budget wants it; an input is cut
/// as its reader wants it, and would be carried to its file in one piece where there is none.
einsum::Graph with_copied_results(einsum::Graph graph);

}  // namespace tessera::engine
