#pragma once

#include "frontend/sql/syntax.h"
#include "sql/query.h"

namespace tessera::sql {

/// Whether a table of WITH RECURSIVE reads itself.
bool reads_itself(const frontend::sql::CommonTable& table);

/// True if a table of WITH RECURSIVE reads itself in a way that SQLite has no words for: under
/// other names of its columns, or in a query of FROM.
bool recurs_beyond_sqlite(const frontend::sql::CommonTable& table);

/// The rows of a table of WITH RECURSIVE that reads itself: those of its first query, and those
/// that its second one gives of the rows that came last, step by step, until a step has none; of
/// UNION without ALL, none that did not come before. What is over scalars alone SQLite does at
/// once. Numbers that tensors make may end it: each is computed when its step is.
///
/// Where `reader` takes but the first rows that come (LIMIT, and no order, group or join), the
/// steps end as soon as it has them: PostgreSQL makes rows of a recursion when they are asked for.
///
/// REQUIRES that the compiler has begun the query that it is of. Errors: `user` (42P19) where it is
/// no recursion, or takes more steps than the compiler allows; `unsupported` for WITH, ORDER BY and
/// LIMIT of the recursion itself.
RelationPtr compile_recursion(const frontend::sql::CommonTable& table,
                              const frontend::sql::Select& reader, QueryCompiler& compiler);

}  // namespace tessera::sql
