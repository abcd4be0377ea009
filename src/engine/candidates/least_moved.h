#pragma once

#include "ir/ia/graph.h"

namespace tessera::engine {

/// Returns a lower bound on the bytes that the tasks of a placed program move between sites,
/// without making them: the operands of joins and aggregates, on the sites that compute the only
/// copy of their tuples, that are not there already. A tile comes to a site once: of several
/// operators that read one relation, or views of it, only the one with most moved bytes counts.
/// Relations with tuples that may be absent or not needed, and those of very many keys, count
/// nothing.
///
/// REQUIRES that no placement is undecided.
double least_moved_bytes(const ia::Graph& graph);

}  // namespace tessera::engine
