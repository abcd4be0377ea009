#pragma once

#include <string>

#include "database/sql_error.h"

namespace tessera::database {

/// Returns the error for SQLite's code and words; an unknown name is reported in this program's
/// words.
SqlError sqlite_error(int code, const std::string& words);

}  // namespace tessera::database
