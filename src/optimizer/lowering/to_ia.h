#pragma once

#include <cstdint>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"

namespace tessera::optimizer {

/// The initial plan of the implementation algebra for so many sites (TRA §4.2, the translation
/// table): an aggregate shuffles by the labels it keeps, a join broadcasts every input but its
/// largest, concat and repartition shuffle the pieces to the tile they become part of. On one site
/// everything is where it is needed, and nothing is moved.
///
/// REQUIRES num_sites >= 1. Errors: none for a verified graph.
ia::Graph to_ia(const tra::Graph& graph, int64_t num_sites);

}  // namespace tessera::optimizer
