#pragma once

#include "base/refusal.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Returns the placement of an operator's tuples, found key by key: on every site that has all
/// inputs of a tuple, or on the one of them that `local.at` names. A refusal if no site has all, if
/// the named one lacks some, and if none is named for a present tuple.
///
/// REQUIRES the same as placement_of(), that no placement of an input is undecided, and that the
/// keys of the result and of all inputs are at most tra::kMostTuples.
OrRefusal<Placement> placement_by_sites(const Graph& graph, const LocalOp& local,
                                        const tra::RelationType& type);

}  // namespace tessera::ia
