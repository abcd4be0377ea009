#pragma once

struct sqlite3;

namespace tessera::database {

/// Replaces SQLite's sum(), total() and avg(). In a moving frame SQLite takes a value out again by
/// subtracting it from a rounded sum, so that one large number, or an infinity, spoils all frames
/// behind it: here the sum of a frame that values have left is exact, then rounded once. Sums of
/// integers have 128 bits on the way; one that does not fit 64 is "integer overflow" as SQLite has
/// it, and avg() is exact. A NaN (not_a_number.h) makes the result NaN, and so do infinities of
/// both signs. All else is as SQLite has it, the order of additions too.
void define_sums(sqlite3* connection);

}  // namespace tessera::database
