#pragma once

#include "database/column_type.h"
#include "frontend/sql/query.h"

namespace tessera::sql {

/// True for a quoted literal, which has no type of its own: it takes that of what it meets.
bool is_quoted(const frontend::sql::ExpressionPtr& expression);

/// Returns a quoted literal as a value of a type: `'2026-11-25'::date`, a number, a truth value.
/// Any text is taken for a date, as the cast tells if it is none. Null if the text says no such
/// value, or if the expression is no quoted literal.
frontend::sql::ExpressionPtr literal_of_type(const frontend::sql::ExpressionPtr& expression,
                                             database::ScalarType type);

}  // namespace tessera::sql
