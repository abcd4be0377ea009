#pragma once

#include <string>
#include <vector>

#include "expr/function.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Everything that is wrong with a graph, in words that name the node; nothing if it is sound: what
/// tra::verify() looks at, placements that are sound for their keys, and for every node the
/// placement that placement_of() gives, so that tuples are joined and merged on a site they share.
/// A sound graph makes no later stage crash.
std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions);

}  // namespace tessera::ia
