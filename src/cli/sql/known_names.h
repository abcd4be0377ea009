#pragma once

#include "sql/executor.h"
#include "sql/statement_error.h"

namespace tessera::cli {

/// Returns the names that a statement over this database may use: tables, views and tables with
/// versions, their columns, and functions, in alphabetical order. Nothing if the database cannot be
/// read.
sql::KnownNames known_names(sql::Executor& executor);

}  // namespace tessera::cli
