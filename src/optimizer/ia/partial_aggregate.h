#pragma once

#include "base/refusal.h"
#include "ir/ia/graph.h"

namespace tessera::optimizer {

/// Makes the first phase of an aggregate in two (R2-5 of TRA §5): it merges, over the tuples of
/// `input`, those of a group that lie on one site. Refused if each group lies on one site, because
/// nothing is left for a second phase; if neighbours in a group lie apart; if tuples are not placed
/// by a map; and if the order of merging is stated.
OrRefusal<tra::Aggregate> partial_aggregate(const ia::Graph& graph, const tra::Aggregate& aggregate,
                                            ia::NodeId input);

}  // namespace tessera::optimizer
