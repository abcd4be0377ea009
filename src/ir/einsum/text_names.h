#pragma once

#include <string>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::einsum {

// What the text of a graph calls what a statement reads; printed by text.cpp, read by
// text_parse.cpp.

/// What a statement calls its operands: their names, or x0, x1, ... where two would be the same.
std::vector<std::string> operand_names(const Graph& graph, const std::vector<VertexId>& operands);

std::vector<Shape> operand_shapes(const Graph& graph, const std::vector<VertexId>& operands);

/// What the entries of a scan's state are called in its result: a0, a1, ...
std::vector<std::string> entry_names(size_t num_entries);

}  // namespace tessera::einsum
