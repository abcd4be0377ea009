#pragma once

#include <string>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/joined_columns.h"
#include "sql/query.h"

namespace tessera::sql {

/// Whether a function is an aggregate that puts the rows of a group together as a tensor:
/// array_agg, vectorize, rowmatrix, colmatrix.
bool builds_tensors(const std::string& function);

/// What such an aggregate makes of a relation's rows: a tensor for each group that has rows for it,
/// as a column by the number of the row. The call's arguments, order and filter are columns of the
/// relation, `keys` those that it is grouped by, in SQLite's words.
///
/// Errors: `user`, where groups have different numbers of rows, an element is NULL or no number, or
/// a place is no whole number from 1 on, or is given twice; the message names the group.
JoinedColumn built_tensors(const frontend::sql::Call& call, const Relation& relation,
                           const std::vector<std::string>& keys, const std::string& name,
                           QueryCompiler& compiler);

}  // namespace tessera::sql
