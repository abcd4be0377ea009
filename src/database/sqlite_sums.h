#pragma once

struct sqlite3;

namespace tessera::database {

/// Replaces SQLite's sum(), total() and avg(). In a moving frame SQLite removes a value by
/// subtracting it from a rounded sum, so that one large number, or an infinity, spoils all later
/// frames. Here the sum of a frame that values have left is exact, then rounded once. Sums of
/// integers have 128 bits internally; one that does not fit 64 is "integer overflow" as in SQLite,
/// and avg() is exact. A NaN (not_a_number.h) makes the result NaN, and so do infinities of both
/// signs. Everything else is as in SQLite, the order of additions too.
void define_sums(sqlite3* connection);

}  // namespace tessera::database
