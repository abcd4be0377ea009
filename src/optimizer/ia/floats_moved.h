#pragma once

#include <cstdint>
#include <vector>

#include "ir/ia/graph.h"

namespace tessera::optimizer {

/// What a placed program moves as TRA §5.3 predicts it, in floats: of a relation with frontier f
/// and arrays of bound b a broadcast moves prod(f) * prod(b) for every site, a shuffle once.
/// Communication counts exactly; this is the paper's measure, to compare with its tables.

/// The frontier of every node: for each key dimension a number above every key, as the paper's
/// rules propagate it. Of a filter of more than 2^16 keys the one of what it filters.
std::vector<std::vector<int64_t>> frontiers(const ia::Graph& graph);

/// The floats that every node moves; 0 of those that compute.
///
/// An aggregate in two phases (R2-5) groups by keys and by site, and in the paper the site is no
/// key: a move between the two phases counts one tuple for every group.
std::vector<double> floats_moved(const ia::Graph& graph);

/// Of all nodes.
double total_floats_moved(const ia::Graph& graph);

}  // namespace tessera::optimizer
