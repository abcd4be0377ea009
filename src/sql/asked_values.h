#pragma once

#include "sql/query.h"

namespace tessera::sql {

/// The values that a query is asked with which names columns of the one around: those of the rows
/// that all conditions of that leave, the ones by tensors too, as columns `k1`, `k2`, … Null if the
/// conditions of scalars tell enough, because there are no others or because the query has a value
/// for every row, and if a tensor is among the columns.
RelationPtr values_by_tensors(const OuterColumns& outer, const Scope& around,
                              QueryCompiler& compiler);

}  // namespace tessera::sql
