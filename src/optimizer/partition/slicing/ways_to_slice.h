#pragma once

#include <cstdint>
#include <vector>

#include "ir/einsum/graph.h"
#include "optimizer/partition/model/options.h"

namespace tessera::optimizer::partition {

/// Proposes slicings of a graph that keep the intermediates that one statement reads and writes
/// within `most_bytes` at once; the most promising first, none if nothing helps. At most three.
///
/// An intermediate is made by one statement and read by another. Each proposal starts with another
/// label and goes on with those that shrink the rest most. Slices are as long as the bound allows,
/// in a power of two of them. Nothing is computed twice: a tensor without a sliced label is held
/// meanwhile, so only the peak of a plan tells if a proposal helps.
///
/// Source: the sliced indices of Gray and Kourtis, Quantum 5, 410, 2021, here for any graph, and
/// with every slice of an intermediate made once.
std::vector<std::vector<Slice>> ways_to_slice(const einsum::Graph& graph, int64_t most_bytes);

}  // namespace tessera::optimizer::partition
