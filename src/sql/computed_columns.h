#pragma once

#include <string>
#include <vector>

#include "sql/level.h"
#include "sql/query.h"

namespace tessera::sql {

/// Runs what numbers tensors make for the rows of a key table, and gives the table with them as
/// further columns: from here on SQLite knows them. `where` is empty, or leaves rows out by these
/// numbers, ` WHERE cx1 > 3`. This ends what is planned as one program, as
/// what follows may depend on the numbers.
RelationPtr add_computed_columns(const RelationPtr& table, const Shape& grid, Level& level,
                                 const std::vector<Level::ComputedColumn>& computed,
                                 const std::string& where, QueryCompiler& compiler);

}  // namespace tessera::sql
