#include "sql/relation.h"

#include <utility>

#include "base/error.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

TemporaryTable::TemporaryTable(database::Connection& connection, std::string name,
                               const std::string& query)
    : connection_(connection), name_(std::move(name)) {
  connection_.execute("CREATE TEMP TABLE " + frontend::sql::sqlite_name(name_) + " AS " + query);
}

TemporaryTable::~TemporaryTable() {
  try {
    connection_.execute("DROP TABLE IF EXISTS temp." + frontend::sql::sqlite_name(name_));
  } catch (const Error&) {  // a statement still reads it: it goes with the connection
  }
}

}  // namespace tessera::sql
