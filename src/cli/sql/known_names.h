#pragma once

#include "sql/executor.h"
#include "sql/statement_error.h"

namespace tessera::cli {

/// What a statement over this database may name: tables, views and tables with versions, their
/// columns, and functions, in the order of the alphabet. Nothing where the database cannot tell.
sql::KnownNames known_names(sql::Executor& executor);

}  // namespace tessera::cli
