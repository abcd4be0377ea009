#pragma once

#include <string>
#include <vector>

#include "expr/function.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Everything that is wrong with a graph, in words that name the node; nothing if it is sound: what
/// tra::verify() looks at, placements by key dimensions that exist, and on more than one site
/// tuples that are joined or merged on a site they share. A sound graph makes no later stage crash.
std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions);

}  // namespace tessera::ia
