#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::optimizer::partition {

/// How every statement of a graph is cut: the length of a piece by vertex and by label of its
/// einsum, the last piece shorter where it does not divide the extent. The partition vector d of
/// EinDecomp §4 is ceil(extent / length).
///
/// A label that is not cut has a length of its extent or more; every length is at least 1. Inputs
/// have no lengths: they are cut as they are read.
struct Partitioning {
  std::vector<std::vector<int64_t>> piece_lengths;
  /// By vertex: whether every call makes a partial result of its own, and these are merged as a
  /// tree, as there are too few tiles of the result to work on side by side. Empty: nowhere.
  std::vector<bool> merged_apart;
  friend bool operator==(const Partitioning&, const Partitioning&) = default;
};

/// Nothing is cut.
Partitioning uncut_partitioning(const einsum::Graph& graph);

/// Pieces of that length along every label of that name, in every statement; labels that are not
/// named, and those that must stay whole (reading.h), are not cut.
Partitioning partitioning_by_label(const einsum::Graph& graph,
                                   const std::map<std::string, int64_t>& piece_lengths);

}  // namespace tessera::optimizer::partition
