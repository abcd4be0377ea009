#include "sql/stored_scalars.h"

#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "database/row_order.h"
#include "database/sql_error.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/number_text.h"

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

/// The definition of a table with a column of floats that holds values of any kind: a column that
/// SQLite knows to be REAL has no place for NaN.
std::string with_any(std::string definition, const std::string& column) {
  for (const std::string& name : {sqlite_name(column), "\"" + column + "\""}) {
    for (const char* const before : {"(", ", "}) {
      const std::string found = before + name + " REAL";
      const size_t at = definition.find(found);
      if (at != std::string::npos) {
        return definition.replace(at + found.size() - 4, 4, "ANY");
      }
    }
  }
  throw_error(ErrorKind::unsupported, "NaN in column {}, as its definition is not understood: {}",
              column, definition);
}

/// True if a column of floats may hold NaN.
bool has_place_for_nan(database::Connection& connection, const std::string& table,
                       const std::string& column) {
  return connection.declared_type(table, column) == "ANY";
}

/// Makes a table anew with a place for NaN in a column, and with the same rows and indices.
void make_place_for_nan(database::Connection& connection, const std::string& table,
                        const std::string& column) {
  constexpr const char* kOld = "tessera_without_nan";
  const std::string definition =
      connection.text("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", table);
  std::vector<std::string> indices;
  database::Statement query = connection.prepare(
      "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL");
  query.bind(0, table);
  while (query.step()) {
    indices.push_back(query.text(0));
  }
  query.reset();
  std::string columns = database::rowid_column(connection, table) ? "" : "rowid";
  database::Statement names = connection.prepare("SELECT name FROM pragma_table_info(?)");
  names.bind(0, table);
  while (names.step()) {
    columns += (columns.empty() ? "" : ", ") + sqlite_name(names.text(0));
  }
  names.reset();
  const std::string changed = with_any(definition, column);
  connection.execute(fmt::format("ALTER TABLE {} RENAME TO {}", sqlite_name(table), kOld));
  connection.execute(changed);
  connection.execute(fmt::format("INSERT INTO {0} ({1}) SELECT {1} FROM {2} ORDER BY rowid",
                                 sqlite_name(table), columns, kOld));
  connection.execute(fmt::format("DROP TABLE {}", kOld));
  for (const std::string& index : indices) {
    connection.execute(index);
  }
}

/// A row of a relation whose value has no place in a column.
[[noreturn]] void refuse(const database::Column& column, const std::string& table, int64_t row,
                         const std::string& value, SourceSpan span) {
  const bool is_date = column.type == database::ColumnType(ScalarType::date);
  throw database::SqlError(
      is_date ? database::SqlState::invalid_datetime : database::SqlState::datatype_mismatch,
      Error(ErrorKind::user,
            fmt::format("row {}: column {} of {} is {}, and '{}' is given", row, column.name, table,
                        is_date ? "a date, such as '2026-11-25'" : to_string(column.type), value)),
      span);
}

/// A column of floats: its values, with NaN where there is a place for it, and with numbers in the
/// place of their texts, which may say infinity.
std::string stored_floats(database::Connection& connection, const database::Column& column,
                          const std::string& table, const Relation& relation,
                          const RelationColumn& given, SourceSpan span) {
  const std::string name = sqlite_name(given.key);
  bool has_others = false;
  bool has_nan = false;
  database::Statement others = connection.prepare(
      fmt::format("SELECT rowid, {0} FROM {1} WHERE typeof({0}) IN ('text', 'blob') ORDER BY rowid",
                  name, sqlite_name(relation.table)));
  while (others.step()) {
    const std::string text = others.text(1);
    const std::optional<double> number = float_in(text);
    if (!number) {
      refuse(column, table, others.integer(0), text, span);
    }
    has_others = true;
    has_nan = has_nan || std::isnan(*number);
  }
  others.reset();
  const bool has_place = has_place_for_nan(connection, table, column.name);
  if (has_nan && !has_place) {
    make_place_for_nan(connection, table, column.name);
  }
  return has_others || has_place ? fmt::format("nan_float({})", name) : name;
}

}  // namespace

void know_nan_columns(database::Connection& connection, const std::string& table,
                      Relation& relation) {
  for (RelationColumn& column : relation.columns) {
    column.may_be_nan =
        column.scalar == ScalarType::any ||
        (column.scalar == ScalarType::real && has_place_for_nan(connection, table, column.name));
  }
}

std::string stored_scalars(database::Connection& connection, const database::Column& column,
                           const std::string& table, const Relation& relation,
                           const RelationColumn& given, SourceSpan span) {
  std::string name = sqlite_name(given.key);
  const auto* const type = std::get_if<ScalarType>(&column.type);
  if (type != nullptr && *type == ScalarType::real) {
    return stored_floats(connection, column, table, relation, given, span);
  }
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
    refuse(column, table, wrong.integer(0), wrong.text(1), span);
  }
  return stored;
}

void refuse_no_integers(database::Connection& connection, const database::Column& column,
                        const std::string& table, const Relation& relation,
                        const RelationColumn& given, SourceSpan span) {
  if (column.type != database::ColumnType(ScalarType::integer)) {
    return;
  }
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  database::Statement others = connection.prepare(
      fmt::format("SELECT rowid, {0} FROM {1} WHERE typeof({0}) NOT IN ('integer', 'null') ORDER "
                  "BY rowid",
                  sqlite_name(given.key), sqlite_name(relation.table)));
  while (others.step()) {
    const std::string text = others.text(1);
    const std::optional<double> number = float_in(text);
    if (!number || std::trunc(*number) != *number || std::abs(*number) >= kBeyond) {
      refuse(column, table, others.integer(0), text, span);
    }
  }
}

}  // namespace tessera::sql
