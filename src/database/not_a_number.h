#pragma once

#include <string_view>

namespace tessera::database {

/// The bytes of the BLOB that stands for the float NaN in SQLite, which turns a NaN that it is
/// given into NULL. SQLite compares a BLOB as PostgreSQL compares NaN: it equals itself, and is
/// greater than every number. `X'4E614E'` in SQL; as a text it is `NaN`. Values cross between C++
/// and SQLite in sqlite.cpp and sqlite_functions.cpp, where it becomes a double and back.
inline constexpr std::string_view kNotANumber = "NaN";

}  // namespace tessera::database
