#pragma once

#include "database/sqlite.h"

namespace tessera::sql {

/// Gives SQLite functions of PostgreSQL that it has not, or has with another meaning: `left`,
/// `right`, `lpad`, `rpad`, `split_part`, `reverse`, `repeat`, `starts_with`, `substr` from before
/// the beginning, LIKE that heeds case; and those that our own texts call: `float_of(x)` and
/// `truth_of(x)`, the number and the truth value of a text, and `date_plus(d, n)`. Texts are
/// counted in characters of UTF-8.
void define_postgres_functions(database::Connection& connection);

}  // namespace tessera::sql
