#pragma once

#include "base/refusal.h"
#include "ir/ia/graph.h"

namespace tessera::optimizer {

/// The first phase of an aggregate in two (R2-5 of TRA §5): over the tuples of `input`, which lie
/// apart, it merges those of a group that one site has. Refused where all of a group lie together,
/// and nothing is left for a second phase; where neighbours in a group lie apart; where tuples lie
/// by no map; and where the order of merging is stated.
OrRefusal<tra::Aggregate> partial_aggregate(const ia::Graph& graph, const tra::Aggregate& aggregate,
                                            ia::NodeId input);

}  // namespace tessera::optimizer
