#pragma once

#include <optional>

#include "database/column_type.h"
#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// The type of all values that a scalar expression has, as SQLite computes it; nothing where that
/// depends on the values.
std::optional<database::ScalarType> scalar_type_of(const frontend::sql::ExpressionPtr& expression,
                                                   const Scope& scope);

}  // namespace tessera::sql
