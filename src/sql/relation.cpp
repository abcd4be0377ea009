#include "sql/relation.h"

#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

TemporaryTable::TemporaryTable(database::Connection& connection, std::string name,
                               const std::vector<std::string>& columns, const std::string& query)
    : connection_(connection), name_(std::move(name)) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    names.push_back(frontend::sql::sqlite_name(column));
  }
  // Columns without a type, as one with a type would convert what is put there.
  const std::string table = "temp." + frontend::sql::sqlite_name(name_);
  connection_.execute(fmt::format("CREATE TABLE {}({})", table, fmt::join(names, ", ")));
  connection_.execute(fmt::format("INSERT INTO {} {}", table, query));
}

TemporaryTable::~TemporaryTable() {
  try {
    connection_.execute("DROP TABLE IF EXISTS temp." + frontend::sql::sqlite_name(name_));
  } catch (const Error&) {  // a statement still reads it: it goes with the connection
  }
}

}  // namespace tessera::sql
