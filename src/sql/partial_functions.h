#pragma once

#include "frontend/sql/syntax.h"
#include "sql/tensor_function.h"

namespace tessera::sql {

/// True if an expression may have no value for some rows: an element that rows name may lie
/// outside, a matrix may be singular, a distribution may have wrong parameters, a divisor of
/// integers may be 0. What chooses among values (CASE, COALESCE, AND, OR, WHERE) then computes it
/// only for the rows that need it.
bool may_fail(const frontend::sql::ExpressionPtr& expression);
/// True if any expression of a query may have no value for some rows.
bool may_fail(const frontend::sql::SelectPtr& query);

/// True if an expression may draw random numbers, which are others wherever it stands.
bool draws(const frontend::sql::ExpressionPtr& expression, const TensorFunctionRegistry& functions);

}  // namespace tessera::sql
