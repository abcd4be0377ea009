#pragma once

#include "database/sqlite.h"
#include "expr/function.h"

namespace tessera::sql {

/// Gives SQLite every function of numbers that it has none of by this name: whole numbers give what
/// they give as i64, others what they give as f64, and NULL gives NULL. Errors of a call: `user`
/// where an argument is a text, or the function has no value.
void define_number_functions(database::Connection& connection,
                             const expr::FunctionRegistry& functions);

}  // namespace tessera::sql
