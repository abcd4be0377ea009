#pragma once

#include "ir/ia/graph.h"
#include "plans/runner/case_run.h"
#include "plans/runner/relation_value.h"

namespace tessera::plans {

/// The tuples of a placed relation, by site.
using PlacedTuples = std::vector<Tuples>;

/// Every node of a placed program computed by value on every site: a local operator sees the tuples
/// of its site alone; a broadcast and a shuffle move them. Nothing of plans or optimised kernels
/// takes part: it is what they, and the rules of placement, are compared with.
///
/// `num_sites` 1 runs a graph for several sites on one, where nothing can be apart.
/// Errors: internal, with the node, where tuples do not lie as the node's placement says, or where
/// pieces of a tile lie apart; `user` for a fault of the data and keys that are not closed.
std::vector<PlacedTuples> interpreted(const ia::Graph& graph, const Case& each, int64_t num_sites);

/// The results of a placed program on its sites, with every node compared, by value, with the same
/// program on one site. Errors: as above, and internal where a node's tuples are others.
Results run_placed(const ia::Graph& graph, const Case& each);

}  // namespace tessera::plans
