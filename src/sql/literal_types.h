#pragma once

#include <string>
#include <vector>

#include "frontend/sql/query.h"
#include "sql/scalar_types.h"
#include "sql/scope.h"

namespace tessera::sql {

/// Returns the type that quoted literals take beside values of these types: a date, else a number,
/// else a truth value. Nothing if there is none of these.
std::optional<database::ScalarType> met_type(const std::vector<TypedValue>& values);

/// Checks that no number, truth value or text stands beside a date in a place whose values have
/// one type. Errors: `user` at such a value; `place` is the place in words.
void check_dates(const std::vector<TypedValue>& values, const std::string& place);

/// Returns an expression whose quoted literals have the type of what they meet, as in PostgreSQL:
/// `d < '2024-01-31'`, `coalesce(x, '0.5')`, `b = 'true'`. It looks at this operator or call alone.
/// Null if nothing changes. Errors: `user` if a date meets a value of another type.
frontend::sql::ExpressionPtr with_literal_types(const frontend::sql::ExpressionPtr& expression,
                                                const Scope& scope,
                                                const TypeOfValue& type_of_value);

}  // namespace tessera::sql
