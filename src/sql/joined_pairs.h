#pragma once

#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

class QueryCompiler;

/// A join ON what tensors make as one of SQLite's: which pairs of rows meet is computed first, as
/// an inner join, and asked for by the numbers of the rows, which the tables get a column for. So
/// the join itself, with its rows that meet none, is SQLite's. REQUIRES that the items of the join
/// are prepared, with their tables in the scope, which keeps the pairs.
frontend::sql::JoinReference joined_by_pairs(frontend::sql::JoinReference join, Scope& scope,
                                             QueryCompiler& compiler);

}  // namespace tessera::sql
