#pragma once

#include "sql/bound_select.h"

namespace tessera::sql {

/// Aggregates of DISTINCT tensors, and those that put DISTINCT rows together, as ones FILTERed by
/// whether a row is the first of its group with its value. REQUIRES a SELECT over the rows of one
/// within (first_part.h), in which tensors are equal where their row numbers are.
void take_distinct_tensors(BoundSelect& select, QueryCompiler& compiler);

}  // namespace tessera::sql
