#pragma once

#include "ir/ia/graph.h"

namespace tessera::engine {

/// What the tasks of a placed program move between sites at least, in bytes, found without making
/// them: what joins and aggregates read on the sites where they make the one copy of their tuples,
/// and does not lie there. A tile goes to a site once: of several that read what one relation
/// holds, or views show of it, the one that is brought most counts. Relations of which tuples may
/// be absent or not needed, and those of very many keys, count nothing.
///
/// REQUIRES that no placement is undecided.
double least_moved_bytes(const ia::Graph& graph);

}  // namespace tessera::engine
