#pragma once

#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// The entry of the scope around that a column of a query within is of; null for its own columns.
const Scope::Entry* outer_entry(const frontend::sql::ColumnReference& column,
                                const frontend::sql::Select& query, const Scope& own,
                                const Scope& around);

/// What a query within a query sees of the scope around both: tables, and columns that the one
/// between has none by the name of.
Scope seen_beyond(const frontend::sql::Select& query, const Scope& own, const Scope& around);

}  // namespace tessera::sql
