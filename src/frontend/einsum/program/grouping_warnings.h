#pragma once

#include "base/diagnostic.h"
#include "expr/aggregate.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// Warns of expressions that are grouped otherwise than they look, with the two that may be meant:
///
/// - `any[j] x[j] > 0` compares whether any x is true with 0, and not each x: an aggregate takes
///   the product that follows and no comparison. Of other aggregates it is what it looks like.
/// - `x / sum[j] x * w` divides by the sum of the products. Nothing is said where the factor behind
///   has a label that only the aggregate knows, `x[i] / sum[j] A[i,j] * w[j]`: it stands for one
///   thing only.
/// - `cumsum[t] a + v[t] * z[t]` runs over `a` alone: a scan takes the product that follows, and
///   unlike an aggregate it leaves the label to what stands behind.
void warn_of_groupings(const ProgramSyntax& syntax, const expr::AggregateRegistry& aggregates,
                       Diagnostics& warnings);

}  // namespace tessera::frontend
