#pragma once

struct sqlite3;

namespace tessera::database {

/// Gives SQLite PostgreSQL's aggregates `variance`, `stddev`, `var_samp`, `var_pop`, `stddev_samp`
/// and `stddev_pop`, and `median`. NULLs are left out. Errors: those of SQLite.
void define_statistics(sqlite3* connection);

}  // namespace tessera::database
