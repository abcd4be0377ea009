#pragma once

#include <string>
#include <utility>
#include <vector>

#include "expr/function.h"
#include "ir/tra/graph.h"

namespace tessera::tra {

/// Everything that is wrong with a graph, in words that name the node; nothing if it is sound:
/// inputs before their readers, types as infer_type() gives them, kernels and monoids that fit,
/// grids that are grids. A sound graph makes no later stage crash.
std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions);

/// The same for the type of an input relation.
std::vector<std::string> verify_type(const RelationType& type);

/// The same for all inputs of a graph by their names: each is one array, and those of one name are
/// one tensor.
std::vector<std::string> verify_inputs(
    const std::vector<std::pair<std::string, const RelationType*>>& inputs);

/// The same for an operator over sound nodes of the graph; only what infer_type() does not look at
/// or could not survive.
std::vector<std::string> verify_operator(const Graph& graph, const Op& op,
                                         const expr::FunctionRegistry& functions);

}  // namespace tessera::tra
