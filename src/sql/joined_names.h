#pragma once

#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// The tables of FROM with columns in the conditions of joins named by their tables, where tables
/// beside those that are joined have such a column too: SQL looks in the joined ones alone
/// (SQL:2023, 7.10), SQLite in all of them. `scope` has the tables in the order of FROM.
std::vector<frontend::sql::FromItemPtr> with_tables_in_conditions(
    const std::vector<frontend::sql::FromItemPtr>& from, const Scope& scope);

}  // namespace tessera::sql
