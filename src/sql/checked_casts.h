#pragma once

#include "frontend/sql/query.h"
#include "sql/scalar_types.h"
#include "sql/scope.h"

namespace tessera::sql {

/// Returns a cast of a text as PostgreSQL reads it, to a float or to a truth value. Null for all
/// other expressions. `prepared` is what becomes of the operand.
frontend::sql::ExpressionPtr with_checked_cast(const frontend::sql::ExpressionPtr& expression,
                                               const Scope& scope, const TypeOfValue& type_of_value,
                                               const PreparesOperand& prepared);

}  // namespace tessera::sql
