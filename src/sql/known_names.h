#pragma once

#include "sql/executor.h"
#include "sql/statement_error.h"

namespace tessera::sql {

/// Returns the names that a statement over this database may use: tables, views and tables with
/// versions, their columns, and functions, each in alphabetical order. If the database cannot be
/// read, only functions.
KnownNames known_names(Executor& executor);

}  // namespace tessera::sql
