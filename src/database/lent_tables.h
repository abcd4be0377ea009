#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;

namespace tessera::database {

/// The value for NULL among whole numbers.
inline constexpr int64_t kNullNumber = std::numeric_limits<int64_t>::min();

using Numbers = std::shared_ptr<const std::vector<int64_t>>;

/// Rows of whole numbers and NULLs, by column.
struct NumberRows {
  int64_t num_rows = 0;
  std::vector<Numbers> columns;  // of equal length
};

/// Tables whose rows are in memory. SQLite gets a copy of one only when a statement names it: most
/// are read from memory alone, and a row costs SQLite as much as a lookup.
///
/// Threads: those of the connection.
class LentTables {
 public:
  /// The most columns of a table.
  static constexpr size_t kMostColumns = 16;

  /// The connection outlives it.
  explicit LentTables(sqlite3* connection) : connection_(connection) {}

  /// Adds a table. `columns` are their names in SQLite's words, "a, b". The name is one word of a
  /// statement.
  void lend(const std::string& name, std::string columns, NumberRows rows);
  /// Forgets a table; returns true if no statement has named it.
  bool take_back(const std::string& name) { return tables_.erase(name) != 0; }
  /// Makes the tables that a statement names. Errors: those of a statement.
  void make_named_in(std::string_view statement);

  /// Returns the rows of the table that SQLite is making.
  const NumberRows& made() const { return *made_; }

 private:
  struct Table {
    std::string columns;
    NumberRows rows;
  };
  void make(const std::string& name, const Table& table);

  sqlite3* connection_;
  std::map<std::string, Table, std::less<>> tables_;
  bool has_module_ = false;
  const NumberRows* made_ = nullptr;
};

}  // namespace tessera::database
