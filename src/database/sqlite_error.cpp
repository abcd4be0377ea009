#include "database/sqlite_error.h"

#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <sqlite3.h>

namespace tessera::database {

namespace {

ErrorKind kind_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_NOMEM:
    case SQLITE_CANTOPEN:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorKind::resource;
    case SQLITE_INTERRUPT:
      return ErrorKind::interrupted;
    case SQLITE_MISUSE:
      return ErrorKind::internal;
    default:
      return ErrorKind::user;
  }
}

std::optional<SqlState> state_of_constraint(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return SqlState::unique_violation;
    case SQLITE_CONSTRAINT_NOTNULL:
      return SqlState::not_null_violation;
    case SQLITE_CONSTRAINT_CHECK:
      return SqlState::check_violation;
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return SqlState::foreign_key_violation;
    case SQLITE_CONSTRAINT_DATATYPE:
      return SqlState::datatype_mismatch;
    default:
      return std::nullopt;
  }
}

SqlState state_of_code(int code) {
  if (const std::optional<SqlState> state = state_of_constraint(code)) {
    return *state;
  }
  if (code == SQLITE_IOERR_DATA) {
    return SqlState::data_corrupted;
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
      return SqlState::disk_full;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return SqlState::io_error;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return SqlState::data_corrupted;
    case SQLITE_NOMEM:
      return SqlState::out_of_memory;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return SqlState::lock_not_available;
    case SQLITE_MISMATCH:
      return SqlState::datatype_mismatch;
    default:
      return state_of(kind_of(code));
  }
}

/// SQLite's words before a name, and this program's.
struct NameWords {
  std::string_view sqlite;
  SqlState state;
  fmt::string_view ours;
};

constexpr std::array kNameWords{
    NameWords{"no such column: ", SqlState::undefined_column, "there is no column {}"},
    NameWords{"no such table: ", SqlState::undefined_table, "there is no table {}"},
    NameWords{"no such function: ", SqlState::undefined_function, "there is no function {}"},
    NameWords{"ambiguous column name: ", SqlState::ambiguous_column,
              "column {} is in several tables here"},
};

}  // namespace

SqlError sqlite_error(int code, const std::string& words) {
  for (const NameWords& known : kNameWords) {
    if (words.starts_with(known.sqlite)) {
      const std::string name = words.substr(known.sqlite.size());
      return {known.state,
              Error(ErrorKind::user, fmt::vformat(known.ours, fmt::make_format_args(name))), name};
    }
  }
  if (code == SQLITE_BUSY_SNAPSHOT) {
    return {SqlState::serialization_failure,
            Error(ErrorKind::resource,
                  "another process has written since this transaction began to read; roll it back "
                  "and try again")};
  }
  const SqlState state =
      words == "integer overflow" || words.ends_with("out of the range of integers")
          ? SqlState::numeric_value_out_of_range
          : state_of_code(code);
  return {state, Error(kind_of(code), words)};
}

}  // namespace tessera::database
