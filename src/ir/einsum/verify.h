#pragma once

#include <string>
#include <vector>

#include "expr/function.h"
#include "ir/einsum/graph.h"

namespace tessera::einsum {

/// Returns everything that is wrong with a graph, in words that name the vertex; nothing if it is
/// sound. A sound graph makes no later stage crash.
std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions);

}  // namespace tessera::einsum
