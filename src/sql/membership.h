#pragma once

#include <cstdint>
#include <vector>

#include "sql/kept_rows.h"
#include "sql/level.h"
#include "sql/query.h"

namespace tessera::sql {

/// A query behind IN that gives tensors as one of numbers, the same where tensors are equal, so
/// that SQLite may look for one of them. `rows` are those of the query; they run. The scope knows
/// the new query's tensors.
frontend::sql::SelectPtr members_of(const frontend::sql::SelectPtr& query, const Relation& rows,
                                    Scope& scope, QueryCompiler& compiler);

/// The tensors of a key table's rows that are looked for among others.
struct FoundMembers {
  KeptRows rows;                 // that have a tensor
  std::vector<int64_t> members;  // the row number of an equal one, or -1
};

/// Each tensor is read once, and found by its value. They run.
FoundMembers found_members(const RelationPtr& table, const Shape& grid, Level& level,
                           const Level::ComputedColumn& wanted, QueryCompiler& compiler);

}  // namespace tessera::sql
