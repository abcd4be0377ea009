#pragma once

#include "frontend/sql/query.h"
#include "sql/scalar_types.h"
#include "sql/scope.h"

namespace tessera::sql {

/// Returns `/`, `%` and functions of columns of floats as IEEE and tensors have them, infinite or
/// NaN where SQLite has NULL, whether or not a column holds NaN. Null for all other expressions.
/// `prepared` is what becomes of the operands.
frontend::sql::ExpressionPtr with_float_arithmetic(const frontend::sql::ExpressionPtr& expression,
                                                   const Scope& scope,
                                                   const TypeOfValue& type_of_value,
                                                   const PreparesOperand& prepared);

}  // namespace tessera::sql
