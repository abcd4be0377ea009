#pragma once

#include <functional>
#include <optional>

#include "database/column_type.h"
#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// Tells the type of the value that a query stands for, where it is known.
using TypeOfValue =
    std::function<std::optional<database::ScalarType>(const frontend::sql::SelectPtr&)>;

/// The type of all values that a scalar expression has, as SQLite computes it; nothing where that
/// depends on the values, or on a query that nobody is there to tell of.
std::optional<database::ScalarType> scalar_type_of(const frontend::sql::ExpressionPtr& expression,
                                                   const Scope& scope,
                                                   const TypeOfValue& type_of_value = {});

/// The type that SQLite has of a number that tensors make; nothing for a complex one.
std::optional<database::ScalarType> type_of_number(DType dtype);

}  // namespace tessera::sql
