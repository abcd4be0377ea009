#pragma once

#include <cstdint>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"

namespace tessera::optimizer {

/// An initial plan of the implementation algebra for so many sites (TRA §4.2, the translation
/// table). An input's tuples lie on the sites in turn. Where ia::placement_of() says that an
/// operator can be done where its inputs lie, nothing is moved. Else a join broadcasts every input
/// but its largest; an aggregate, a concat and a rekey shuffle tuples to the site of the tuple that
/// they become part of, sites being taken in turn; a repartition is a cut, such a shuffle of the
/// boxes and a paste. On one site nothing is ever moved.
///
/// REQUIRES 1 <= num_sites <= ia::kMostSites. Errors: `unsupported` where sites stand in a table
/// and the keys are more than tra::kMostTuples; none on one site.
ia::Graph to_ia(const tra::Graph& graph, int64_t num_sites);

}  // namespace tessera::optimizer
