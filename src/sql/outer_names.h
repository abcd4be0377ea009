#pragma once

#include <functional>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// The name that an inner query has for the table of its outer columns' values.
inline constexpr const char* kOuter = "tessera_outer";

/// True if a scope's column is one of tensors that the query around asks with.
bool is_outer_tensor(const frontend::sql::ExpressionPtr& expression, const Scope& scope);

/// What a query within a query can name: its own tables, and those of the queries around.
struct NamesWithin {
  const frontend::sql::Select& query;  // no set operation, and no VALUES
  const Scope& own;
  const Scope& around;

  /// The entry around that a column is of; null for the query's own columns.
  const Scope::Entry* outer_entry(const frontend::sql::ColumnReference& column) const;

  /// What a query within this one sees of the scope around both: tables, and columns that this one
  /// has none by the name of.
  Scope seen_beyond() const;
};

/// What is to be replaced in a query that can name these.
using MakesRewrites = std::function<frontend::sql::Rewrites(const NamesWithin&)>;

}  // namespace tessera::sql
