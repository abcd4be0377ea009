#pragma once

#include "frontend/sql/query.h"
#include "sql/scalar_types.h"
#include "sql/scope.h"

namespace tessera::sql {

/// Returns arithmetic with dates as PostgreSQL means it: `d + 7` and `d - 7` are dates, `d - e` is
/// a number of days. Null for all other expressions. `prepared` is what becomes of the operands.
/// Errors: `user` if dates are given to other arithmetic, or a number is to be a date.
frontend::sql::ExpressionPtr with_date_arithmetic(const frontend::sql::ExpressionPtr& expression,
                                                  const Scope& scope,
                                                  const TypeOfValue& type_of_value,
                                                  const PreparesOperand& prepared);

}  // namespace tessera::sql
