#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "database/column_type.h"
#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// Tells the type of the value that a query stands for, where it is known.
using TypeOfValue =
    std::function<std::optional<database::ScalarType>(const frontend::sql::SelectPtr&)>;

/// Tells what becomes of an operand of an expression that is rewritten.
using PreparesOperand =
    std::function<frontend::sql::ExpressionPtr(const frontend::sql::ExpressionPtr&)>;

/// A value that meets others of one type, and its own type.
struct TypedValue {
  frontend::sql::ExpressionPtr expression;  // null for a column that `*` stands for
  std::optional<database::ScalarType> type;
};

/// Returns the type that all of these have: NULL is of any type, and a quoted literal takes that of
/// the others. Nothing if they differ or one is not known.
std::optional<database::ScalarType> common_type(const std::vector<TypedValue>& values);

/// The type of all values that a scalar expression has, as SQLite computes it; nothing where that
/// depends on the values, or on a query that nobody is there to tell of.
std::optional<database::ScalarType> scalar_type_of(const frontend::sql::ExpressionPtr& expression,
                                                   const Scope& scope,
                                                   const TypeOfValue& type_of_value = {});

/// The type that SQLite has of a number that tensors make; nothing for a complex one.
std::optional<database::ScalarType> type_of_number(DType dtype);

}  // namespace tessera::sql
