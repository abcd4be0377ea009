#pragma once

#include "frontend/einsum/program/resolved.h"

/// Positions along modes and numbers of groups, which are computed in i64.
namespace tessera::frontend {

/// Marks the nodes that compute a position: the indices of reads, the numbers of groups, and their
/// operands in sums, products, choices and aggregates. A condition is not marked, nor the arguments
/// of a comparison or of an aggregate that gives none of its elements.
void mark_positions(ResolvedExpression& statement);

}  // namespace tessera::frontend
