#pragma once

#include "sql/bound_select.h"

namespace tessera::sql {

/// Writes what aggregates with FILTER are given as CASE by its condition, if it may have no value
/// in rows that the condition leaves out: so it is computed for the other rows alone.
void write_filtered_as_case(BoundSelect& select, QueryCompiler& compiler);

}  // namespace tessera::sql
