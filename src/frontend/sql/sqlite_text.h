#pragma once

#include <string>

#include "frontend/sql/query.h"

namespace tessera::frontend::sql {

/// A query in SQLite's SQL: parentheses where they are needed, names quoted where they have to be.
/// Meaning is SQLite's.
///
/// Throws a `user` or `unsupported` Error for what SQLite cannot say (an array, a version, a
/// function in FROM that it has not).
std::string sqlite_text(const Select& query);
std::string sqlite_text(const Expression& expression);

/// A name as SQLite reads it: in double quotes unless it is a plain word that is none of its
/// keywords.
std::string sqlite_name(const std::string& name);

}  // namespace tessera::frontend::sql
