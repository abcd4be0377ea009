#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// What `*` means over these tables, as references to columns. Columns that a join has in common by
/// USING or NATURAL come first and once (SQL:2023, 7.10): of an inner and a left join they are the
/// left table's, of a right one the right table's, of a full one those of the left or else of the
/// right. `scope` has the tables in the order of FROM; tables that it lacks give no columns.
std::vector<frontend::sql::Target> columns_of_star(
    const std::vector<frontend::sql::FromItemPtr>& from, const Scope& scope);

/// The columns that the condition of a join sees, and what they are; `scope` has its tables from
/// this entry on.
std::vector<frontend::sql::Target> columns_of_joined(const frontend::sql::JoinReference& join,
                                                     const Scope& scope, size_t first_entry);

/// Whether a scope knows what columns these tables have: not of all functions, which SQLite alone
/// knows.
bool knows_columns(const std::vector<frontend::sql::FromItemPtr>& from, const Scope& scope);

/// Whether tables have columns in common by USING or NATURAL, so that `*` has them once.
bool has_joined_columns(const std::vector<frontend::sql::FromItemPtr>& from);

/// The name by which a table, a query or a function in FROM is known; nothing where it has none.
std::optional<std::string> name_in_scope(const frontend::sql::FromItem& item);

/// The join with what NATURAL means said by USING; `scope` has its tables from this entry on. As it
/// is where it does not know their columns.
frontend::sql::JoinReference without_natural(frontend::sql::JoinReference join, const Scope& scope,
                                             size_t first_entry);

}  // namespace tessera::sql
