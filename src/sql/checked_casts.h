#pragma once

#include "frontend/sql/query.h"
#include "sql/scalar_types.h"
#include "sql/scope.h"

namespace tessera::sql {

/// Returns a cast that SQLite would do otherwise than PostgreSQL: a number that no integer holds is
/// none, and a text is read as a float or as a truth value. Null for all other expressions.
/// `prepared` is what becomes of the operand. Errors: `user` at a number that is written out and
/// that no integer holds.
frontend::sql::ExpressionPtr with_checked_cast(const frontend::sql::ExpressionPtr& expression,
                                               const Scope& scope, const TypeOfValue& type_of_value,
                                               const PreparesOperand& prepared);

}  // namespace tessera::sql
