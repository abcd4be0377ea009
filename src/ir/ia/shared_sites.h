#pragma once

#include "base/refusal.h"
#include "ir/ia/graph.h"

namespace tessera::ia {

/// Where the tuples lie that an operator makes, found key by key: on every site that has all that
/// a tuple is made from, or on the one of them that `local.at` names. A refusal where no site has
/// all, where the named one lacks some, and where none is named for a tuple that is there.
///
/// REQUIRES what placement_of() does, that no placement of an input is undecided, and that the
/// keys of the result and of all inputs are at most tra::kMostTuples.
OrRefusal<Placement> placement_by_sites(const Graph& graph, const LocalOp& local,
                                        const tra::RelationType& type);

}  // namespace tessera::ia
