#pragma once

#include <cstdint>
#include <vector>

#include "ir/ia/graph.h"

namespace tessera::optimizer {

/// Floats that a placed program moves, as TRA §5.3 predicts them: a relation with frontier f and
/// arrays of bound b costs prod(f) * prod(b) per site for a broadcast and once for a shuffle.
/// Communication counts exactly; this is the paper's measure, to compare with its tables.

/// Returns the frontier of every node: for each key dimension a number above every key, propagated
/// by the paper's rules. A filter of more than 2^16 keys has the frontier of its input.
std::vector<std::vector<int64_t>> frontiers(const ia::Graph& graph);

/// Returns the floats that every node moves; 0 for nodes that compute.
///
/// An aggregate in two phases (R2-5) groups by keys and by site, and in the paper the site is no
/// key: a move between the two phases counts one tuple for every group.
std::vector<double> floats_moved(const ia::Graph& graph);

/// Sums the floats that all nodes move.
double total_floats_moved(const ia::Graph& graph);

}  // namespace tessera::optimizer
