#pragma once

#include <vector>

#include "ir/ia/graph.h"

namespace tessera::plan {

/// By node: whether it is a join whose kernel adds every result to a tile of the aggregate that
/// reads it, C += A * B, so that partial results never are tiles of their own.
///
/// So it is where the aggregate is the join's only reader, merges tuples one after the other, and
/// merges with the monoid that the kernel's last statement reduces with.
std::vector<bool> accumulating_joins(const ia::Graph& graph);

}  // namespace tessera::plan
