#pragma once

#include <set>

#include "frontend/sql/syntax.h"
#include "sql/bound_select.h"

namespace tessera::sql {

/// Expressions of a SELECT, which has them.
using ExpressionSet = std::set<frontend::sql::ExpressionPtr>;

/// The CASEs that choose among tensors, or numbers in a tensor, by numbers or truth values that
/// tensors make, where these or what is chosen may be NULL in some rows, or ask for NULLs: the
/// numbers are wanted as columns first, as SQLite has to know which row has none. What is chosen
/// element by element, or surely is there, is computed as it is. Those within aggregates are left
/// out.
ExpressionSet cases_by_tensors(const BoundSelect& select, QueryCompiler& compiler);

/// The aggregates of tensors of which such a CASE is a part, or FILTER is by what tensors make.
ExpressionSet aggregates_by_tensors(const BoundSelect& select, QueryCompiler& compiler);

/// Whether such a CASE is in WHERE.
bool has_conditions_by_cases(const BoundSelect& select, QueryCompiler& compiler);

/// Writes NULLIF of tensors as a CASE: they are compared as a whole.
void write_nullif_as_case(BoundSelect& select, QueryCompiler& compiler);

}  // namespace tessera::sql
