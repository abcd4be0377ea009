#pragma once

#include <string>

#include "database/sql_error.h"

namespace tessera::database {

/// An error that SQLite gave, by its code and its words; a name that is not there is said in ours.
SqlError sqlite_error(int code, const std::string& words);

}  // namespace tessera::database
