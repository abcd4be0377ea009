#pragma once

#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// An item of FROM whose columns get names, `AS t(a, b)`, with a name for each of these columns:
/// SQL keeps those behind the last name that is given, and SQLite wants all of them. An item
/// without names, or with columns that are not known, stays. Errors: `user`, at the item, if there
/// are more names than columns.
frontend::sql::FromItem with_all_names(const frontend::sql::FromItem& item,
                                       const std::vector<RelationColumn>& columns);

/// Completes the names of a query in FROM, whose columns the scope knows. Null if the item is no
/// query, or already names each column.
frontend::sql::FromItemPtr with_all_names(const frontend::sql::FromItemPtr& item,
                                          const Scope& scope);

}  // namespace tessera::sql
