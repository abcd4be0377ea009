#pragma once

#include "frontend/einsum/program/resolved.h"

/// Positions along modes and numbers of groups, which are computed in i64.
namespace tessera::frontend {

/// Marks the nodes that compute a position: the indices of reads, the numbers of groups, and what
/// they are sums, products, choices and aggregates of. A condition, the arguments of a comparison
/// and those of an aggregate that does not give one of its elements compute none.
void mark_positions(ResolvedExpression& statement);

}  // namespace tessera::frontend
