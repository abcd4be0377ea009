#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::optimizer::partition {

/// The cuts of every statement of a graph: the length of a piece by vertex and by label of its
/// einsum. The last piece is shorter if the length does not divide the extent. The partition vector
/// d of EinDecomp §4 is ceil(extent / length).
///
/// A label that is not cut has a length of at least its extent; every length is at least 1. Inputs
/// have no lengths: their readers cut them.
struct Partitioning {
  std::vector<std::vector<int64_t>> piece_lengths;
  /// By vertex: true if every call makes a partial result of its own, and these are merged as a
  /// tree, because the result has too few tiles to work on in parallel. Empty: nowhere.
  std::vector<bool> merged_apart;
  friend bool operator==(const Partitioning&, const Partitioning&) = default;
};

/// Returns a partitioning that cuts nothing.
Partitioning uncut_partitioning(const einsum::Graph& graph);

/// Returns a partitioning with pieces of that length along every label of that name, in every
/// statement. Labels that are not named, and those that must stay whole (reading.h), are not cut.
Partitioning partitioning_by_label(const einsum::Graph& graph,
                                   const std::map<std::string, int64_t>& piece_lengths);

}  // namespace tessera::optimizer::partition
