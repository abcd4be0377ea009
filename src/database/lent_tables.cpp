#include "database/lent_tables.h"

#include <cctype>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "database/sqlite_error.h"

namespace tessera::database {

namespace {

constexpr const char* kModule = "tessera_numbers";

// SQLite's callbacks, in its order: a table of the rows that are made, which it scans once.

struct VirtualTable {
  sqlite3_vtab base;
  const LentTables* lent;
};

struct VirtualCursor {
  sqlite3_vtab_cursor base;
  const NumberRows* rows;
  size_t row;
};

int connect(sqlite3* connection, void* lent, int, const char* const*, sqlite3_vtab** made, char**) {
  std::string columns;
  for (size_t column = 0; column < LentTables::kMostColumns; ++column) {
    fmt::format_to(std::back_inserter(columns), "{}c{}", column == 0 ? "" : ", ", column);
  }
  const int code =
      sqlite3_declare_vtab(connection, fmt::format("CREATE TABLE x({})", columns).c_str());
  auto table = std::make_unique<VirtualTable>();
  table->lent = static_cast<const LentTables*>(lent);
  *made = &table.release()->base;
  return code;
}

int disconnect(sqlite3_vtab* table) {
  const std::unique_ptr<VirtualTable> owned(reinterpret_cast<VirtualTable*>(table));
  return SQLITE_OK;
}

int best_index(sqlite3_vtab*, sqlite3_index_info*) {
  return SQLITE_OK;
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** made) {
  auto cursor = std::make_unique<VirtualCursor>();
  cursor->rows = &reinterpret_cast<VirtualTable*>(table)->lent->made();
  *made = &cursor.release()->base;
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  const std::unique_ptr<VirtualCursor> owned(reinterpret_cast<VirtualCursor*>(cursor));
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  reinterpret_cast<VirtualCursor*>(cursor)->row = 0;
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++reinterpret_cast<VirtualCursor*>(cursor)->row;
  return SQLITE_OK;
}

int is_behind(sqlite3_vtab_cursor* cursor) {
  const auto& at = *reinterpret_cast<VirtualCursor*>(cursor);
  return at.row >= static_cast<size_t>(at.rows->num_rows) ? 1 : 0;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  const auto& at = *reinterpret_cast<VirtualCursor*>(cursor);
  const int64_t number = (*at.rows->columns[static_cast<size_t>(column)])[at.row];
  if (number != kNullNumber) {  // else it is NULL already
    sqlite3_result_int64(context, number);
  }
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = static_cast<sqlite3_int64>(reinterpret_cast<VirtualCursor*>(cursor)->row);
  return SQLITE_OK;
}

sqlite3_module module() {
  sqlite3_module made{};  // without xCreate: there is one table, by the module's name
  made.xConnect = &connect;
  made.xDisconnect = &disconnect;
  made.xBestIndex = &best_index;
  made.xOpen = &open;
  made.xClose = &close;
  made.xFilter = &filter;
  made.xNext = &next;
  made.xEof = &is_behind;
  made.xColumn = &column;
  made.xRowid = &rowid;
  return made;
}

void check(sqlite3* connection, int code) {
  if (code != SQLITE_OK) {
    throw sqlite_error(code, sqlite3_errmsg(connection));
  }
}

bool is_of_word(char character) {
  return character == '_' || std::isalnum(static_cast<unsigned char>(character)) != 0;
}

}  // namespace

void LentTables::lend(const std::string& name, std::string columns, NumberRows rows) {
  tables_.insert_or_assign(name, Table{std::move(columns), std::move(rows)});
}

void LentTables::make_named_in(std::string_view statement) {
  for (size_t at = 0; at < statement.size() && !tables_.empty();) {
    size_t end = at;
    while (end < statement.size() && is_of_word(statement[end])) {
      ++end;
    }
    const auto found = tables_.find(statement.substr(at, end - at));
    if (found != tables_.end()) {
      const auto made = tables_.extract(found);
      make(made.key(), made.mapped());
    }
    at = end + 1;
  }
}

void LentTables::make(const std::string& name, const Table& table) {
  static const sqlite3_module reads_rows = module();
  if (!std::exchange(has_module_, true)) {
    check(connection_, sqlite3_create_module_v2(connection_, kModule, &reads_rows, this, nullptr));
  }
  std::vector<std::string> read;
  for (size_t column = 0; column < table.rows.columns.size(); ++column) {
    read.push_back(fmt::format("c{}", column));
  }
  made_ = &table.rows;
  // Columns without a type, because a type would convert the values.
  const std::string sql =
      fmt::format("CREATE TABLE temp.{0}({1}); INSERT INTO temp.{0} SELECT {2} FROM {3}", name,
                  table.columns, fmt::join(read, ", "), kModule);
  check(connection_, sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr));
  made_ = nullptr;
}

}  // namespace tessera::database
