#pragma once

#include <cstddef>
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

/// The join with what NATURAL means said by USING; `scope` has its tables from this entry on. As it
/// is where one is a function, whose columns SQLite alone knows.
frontend::sql::JoinReference without_natural(frontend::sql::JoinReference join, const Scope& scope,
                                             size_t first_entry);

}  // namespace tessera::sql
