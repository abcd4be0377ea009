#pragma once

#include <string>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::einsum {

// The names of operands in the text of a graph; printed by text.cpp, read by text_parse.cpp.

/// Returns the names of a statement's operands, or x0, x1, ... if two would be the same.
std::vector<std::string> operand_names(const Graph& graph, const std::vector<VertexId>& operands);

std::vector<Shape> operand_shapes(const Graph& graph, const std::vector<VertexId>& operands);

/// Returns the names of the entries of a scan's state in its result: a0, a1, ...
std::vector<std::string> entry_names(size_t num_entries);

}  // namespace tessera::einsum
