#pragma once

#include <functional>
#include <optional>
#include <string>

#include "database/sqlite.h"
#include "frontend/sql/syntax.h"

namespace tessera::sql {

/// True if a column, or a query that stands for a value, may be NaN.
using MayBeNan = std::function<bool(const frontend::sql::ExpressionPtr&)>;

/// True if an expression may be NaN because a part of it is.
bool may_be_nan(const frontend::sql::ExpressionPtr& expression, const MayBeNan& leaf);

/// The expression with calls of ours in the place of what SQLite would compute wrongly of the value
/// that stands for NaN (database/not_a_number.h): arithmetic, its functions of numbers, casts.
/// Comparisons and aggregates are right as they are. Shared where nothing in it may be NaN.
frontend::sql::ExpressionPtr with_nan(const frontend::sql::ExpressionPtr& expression,
                                      const MayBeNan& leaf);
/// The same of an expression whose parts are done.
frontend::sql::ExpressionPtr with_nan_on_top(const frontend::sql::ExpressionPtr& expression,
                                             const MayBeNan& leaf);

/// The operator that a function of these stands for, `+ - * / %`; nothing for another function.
std::optional<char> nan_operator(const std::string& function);
/// Computes as SQLite does, but with NaN. A division of floats by 0 follows IEEE, as tensors do.
database::Value value_with_nan(char symbol, const database::Value& one,
                               const database::Value& other);

/// Gives SQLite the functions that `with_nan` calls.
void define_nan_functions(database::Connection& connection);

}  // namespace tessera::sql
