#pragma once

#include "frontend/sql/syntax.h"
#include "sql/bound_select.h"

namespace tessera::sql {

/// A table in FROM of a SELECT. If it is a query with columns that may have no value in some rows,
/// its WHERE gets the conditions of the SELECT that are on its columns alone, so that these are
/// computed for the rows that the conditions leave.
frontend::sql::FromItemPtr with_pushed_conditions(const frontend::sql::FromItemPtr& item,
                                                  const frontend::sql::Select& select,
                                                  const Vocabulary& vocabulary);

/// Moves conditions of HAVING that are on the keys of GROUP BY alone to WHERE, if an aggregate may
/// have no value in the rows that they leave out.
void push_having(BoundSelect& select, QueryCompiler& compiler);

}  // namespace tessera::sql
