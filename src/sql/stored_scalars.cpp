#include "sql/stored_scalars.h"

#include <fmt/format.h>

#include "base/error.h"
#include "database/sql_error.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

using database::ScalarType;
using frontend::sql::sqlite_name;

namespace {

/// The value itself where it is no word.
std::string truth_of(const std::string& name) {
  return fmt::format(
      "CASE WHEN typeof({0}) <> 'text' THEN {0} WHEN lower(trim({0})) IN ('true', 't', 'yes', 'y', "
      "'on', '1') THEN 1 WHEN lower(trim({0})) IN ('false', 'f', 'no', 'n', 'off', '0') THEN 0 "
      "ELSE {0} END",
      name);
}

}  // namespace

std::string stored_scalars(database::Connection& connection, const database::Column& column,
                           const std::string& table, const Relation& relation,
                           const RelationColumn& given, SourceSpan span) {
  std::string name = sqlite_name(given.key);
  const auto* const type = std::get_if<ScalarType>(&column.type);
  const bool is_date = type != nullptr && *type == ScalarType::date;
  if (!is_date && (type == nullptr || *type != ScalarType::boolean)) {
    return name;
  }
  std::string stored = is_date ? name : truth_of(name);
  const std::string is_wrong = is_date ? fmt::format("date({0}, '+0 days') IS NOT {0}", stored)
                                       : fmt::format("({}) NOT IN (0, 1)", stored);
  database::Statement wrong = connection.prepare(
      fmt::format("SELECT rowid, {0} FROM {1} WHERE {0} IS NOT NULL AND {2} ORDER BY rowid LIMIT 1",
                  name, sqlite_name(relation.table), is_wrong));
  if (wrong.step()) {
    const std::string value = wrong.text(1);
    throw database::SqlError(
        is_date ? database::SqlState::invalid_datetime : database::SqlState::datatype_mismatch,
        Error(ErrorKind::user,
              fmt::format("row {}: column {} of {} is {}, and '{}' is given", wrong.integer(0),
                          column.name, table, is_date ? "a date, such as '2026-11-25'" : "boolean",
                          value)),
        span);
  }
  return stored;
}

}  // namespace tessera::sql
