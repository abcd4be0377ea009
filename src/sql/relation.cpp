#include "sql/relation.h"

#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

namespace {

std::string names_of(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    names.push_back(frontend::sql::sqlite_name(column));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

TemporaryTable::TemporaryTable(database::Connection& connection, std::string name,
                               const std::vector<std::string>& columns, const std::string& query)
    : connection_(connection), name_(std::move(name)) {
  // Columns without a type, as one with a type would convert what is put there.
  connection_.execute(fmt::format("CREATE TABLE temp.{}({})", name_, names_of(columns)));
  connection_.fill(name_, query);
}

TemporaryTable::TemporaryTable(database::Connection& connection, std::string name,
                               const std::vector<std::string>& columns, database::NumberRows rows)
    : connection_(connection), name_(std::move(name)), rows_(std::move(rows)) {
  connection_.lend_table(name_, names_of(columns), *rows_);
}

TemporaryTable::~TemporaryTable() {
  try {
    connection_.drop_table(name_);
  } catch (const Error&) {  // a statement still reads it: it goes with the connection
  }
}

}  // namespace tessera::sql
