#pragma once

struct sqlite3_context;

namespace tessera::database {

/// Returns a number to SQLite as the result of a function, also NaN (not_a_number.h).
void give_float(sqlite3_context* context, double number);

}  // namespace tessera::database
