#pragma once

#include <optional>
#include <vector>

#include "database/sqlite.h"
#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// What SQLite is asked for the rows of a SELECT, its names known.
struct KeyRows {
  std::vector<frontend::sql::FromItemPtr> from;
  std::vector<frontend::sql::ExpressionPtr> conjuncts;
  std::vector<frontend::sql::Target> targets;
  bool has_left_out = false;  // a table
};

/// The rows with the tables of inner joins side by side in FROM and the conditions of these joins
/// beside the others; nothing if FROM has another join, USING, or an item that is no table.
std::optional<KeyRows> with_flat_joins(const KeyRows& rows);

/// The rows without tables in which rows are looked up by their rowid, `t.rowid = s.k + 1`, for
/// nothing but tensors that lie in the order of these (database/row_order.h): the row of such a
/// tensor follows from the number that is looked up, where it is one of the table's rows. SQLite
/// would find each row in a tree, which takes most of such a join.
KeyRows without_lookups(KeyRows rows, const Scope& scope, database::Connection& connection);

}  // namespace tessera::sql
