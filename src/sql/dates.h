#pragma once

#include <functional>

#include "frontend/sql/query.h"
#include "sql/scalar_types.h"
#include "sql/scope.h"

namespace tessera::sql {

/// What PostgreSQL means by sums and differences with dates, which SQLite has as texts: `d + 7` and
/// `d - 7` are dates, `d - e` is a number of days; by `%` of floats, by casts of texts to them, and
/// by comparing them with a text that is a number.
/// Null for all else. `prepared` is what becomes of the operands. Errors: `user` where dates are
/// given to other arithmetic, or a number is to be a date.
frontend::sql::ExpressionPtr with_dates(
    const frontend::sql::ExpressionPtr& expression, const Scope& scope,
    const TypeOfValue& type_of_value,
    const std::function<frontend::sql::ExpressionPtr(const frontend::sql::ExpressionPtr&)>&
        prepared);

}  // namespace tessera::sql
