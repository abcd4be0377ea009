#pragma once

#include <cstdint>
#include <vector>

#include "ir/einsum/graph.h"
#include "optimizer/partition/model/options.h"

namespace tessera::optimizer::partition {

/// Ways to slice a graph so that what one statement reads and writes of intermediates takes no more
/// than so many bytes at once; the most promising first, none where nothing helps. At most three.
///
/// An intermediate is what one statement makes and another reads. Each way starts with another
/// label and goes on with those that shrink the rest most; slices are as long as the bound allows,
/// powers of two of them. Nothing is computed twice: what has no sliced label is held meanwhile, so
/// whether a way helps a plan, its peak says.
///
/// Source: the sliced indices of Gray and Kourtis, Quantum 5, 410, 2021, here for any graph, and
/// with every slice of an intermediate made once.
std::vector<std::vector<Slice>> ways_to_slice(const einsum::Graph& graph, int64_t most_bytes);

}  // namespace tessera::optimizer::partition
