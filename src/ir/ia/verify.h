#pragma once

#include <string>
#include <vector>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Returns everything that is wrong with a graph, in words that name the node; nothing if it is
/// sound: the checks of tra::verify(), placements that are sound for their keys, and for every node
/// the placement of placement_of(), so that tuples are joined and merged on a site they share. A
/// sound graph makes no later stage crash.
std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions);

/// Returns the errors in the order of sums of a reproducible graph (tra/stated_order.h).
std::vector<std::string> verify_order(const Graph& graph,
                                      const expr::AggregateRegistry& aggregates);

/// Returns the errors in the sites that an operator names for its tuples.
std::vector<std::string> verify_made_at(const LocalOp& local, const std::vector<tra::KeyDim>& key,
                                        int64_t num_sites);

}  // namespace tessera::ia
