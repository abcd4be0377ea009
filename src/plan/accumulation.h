#pragma once

#include <vector>

#include "ir/ia/graph.h"

namespace tessera::plan {

/// Whether the kernel of a join that an aggregate alone reads adds every result to a tile of the
/// aggregate, C += A * B, so that partial results never are tiles of their own: where the aggregate
/// merges tuples one after the other, with the monoid that the kernel's last statement reduces
/// with.
bool accumulates(const tra::Join& join, const tra::Aggregate& aggregate);

/// By node: whether it is a join that accumulates into the tiles of its only reader.
std::vector<bool> accumulating_joins(const ia::Graph& graph);

}  // namespace tessera::plan
