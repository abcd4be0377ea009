#pragma once

#include <functional>
#include <optional>
#include <string>

#include "frontend/sql/syntax.h"

namespace tessera::sql {

/// True if a column, a query that stands for a value, or a sum, mean or variance of numbers that
/// are not NaN may be NaN, as the sum of inf and -inf is.
using MayBeNan = std::function<bool(const frontend::sql::ExpressionPtr&)>;

/// True if an expression may be NaN because a part of it is.
bool may_be_nan(const frontend::sql::ExpressionPtr& expression, const MayBeNan& leaf);

/// Returns the expression with calls of ours (nan_functions.h) in place of operators and functions
/// that SQLite would compute wrongly of the value that stands for NaN (database/not_a_number.h):
/// arithmetic, functions of numbers, casts, conditions that are numbers, printf and LIKE.
/// Comparisons and aggregates are right as they are. Shared if nothing in it may be NaN.
frontend::sql::ExpressionPtr with_nan(const frontend::sql::ExpressionPtr& expression,
                                      const MayBeNan& leaf);
/// The same of an expression whose parts are done.
frontend::sql::ExpressionPtr with_nan_on_top(const frontend::sql::ExpressionPtr& expression,
                                             const MayBeNan& leaf);

}  // namespace tessera::sql
