#pragma once

#include <string>
#include <vector>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Everything that is wrong with a graph, in words that name the node; nothing if it is sound: what
/// tra::verify() looks at, placements that are sound for their keys, and for every node the
/// placement that placement_of() gives, so that tuples are joined and merged on a site they share.
/// A sound graph makes no later stage crash.
std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions);

/// The same for the order of sums, of a graph that is reproducible (tra/stated_order.h).
std::vector<std::string> verify_order(const Graph& graph,
                                      const expr::AggregateRegistry& aggregates);

/// What is wrong with the sites that an operator says it is made on, of what it makes alone.
std::vector<std::string> verify_made_at(const LocalOp& local, const std::vector<tra::KeyDim>& key,
                                        int64_t num_sites);

}  // namespace tessera::ia
