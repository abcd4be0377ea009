#pragma once

struct sqlite3;

namespace tessera::database {

/// Defines PostgreSQL's aggregates `variance`, `stddev`, `var_samp`, `var_pop`, `stddev_samp` and
/// `stddev_pop`, and `median`, for SQLite. NULLs are left out. Errors: those of SQLite.
void define_statistics(sqlite3* connection);

}  // namespace tessera::database
