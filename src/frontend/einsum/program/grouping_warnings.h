#pragma once

#include "base/diagnostic.h"
#include "expr/aggregate.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// Warns of expressions that group otherwise than they look, with the two possible meanings:
///
/// - `any[j] x[j] > 0` compares whether any x is true with 0, and not each x: an aggregate takes
///   the product that follows and no comparison. For other aggregates the reading is clear.
/// - `x / sum[j] x * w` divides by the sum of the products. There is no warning if the last factor
///   has a label that only the aggregate knows, `x[i] / sum[j] A[i,j] * w[j]`: that has one meaning
///   only.
/// - `cumsum[t] a + v[t] * z[t]` runs over `a` alone: a scan takes the product that follows, and
///   unlike an aggregate it does not bind the label, which the following terms may use.
void warn_of_groupings(const ProgramSyntax& syntax, const expr::AggregateRegistry& aggregates,
                       Diagnostics& warnings);

}  // namespace tessera::frontend
