#pragma once

#include <map>
#include <string>

#include "ir/einsum/graph.h"

namespace tessera::engine {

/// The graph with inputs in the place of the tensors that an earlier run left, by their names: what
/// reads them reads what was left.
einsum::Graph with_left_tensors(einsum::Graph graph, const std::map<std::string, ArrayType>& left);

}  // namespace tessera::engine
