#pragma once

#include <string_view>

namespace tessera::database {

/// The bytes of the BLOB that represents the float NaN in SQLite, which turns a NaN into NULL.
/// SQLite compares a BLOB as PostgreSQL compares NaN: it equals itself, and is greater than every
/// number. It is `X'4E614E'` in SQL, `NaN` as text. sqlite.cpp and sqlite_functions.cpp convert it
/// to a double and back.
inline constexpr std::string_view kNotANumber = "NaN";

}  // namespace tessera::database
