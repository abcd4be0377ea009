#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database/sqlite.h"
#include "sql/relation.h"

namespace tessera::sql {

/// The tables that the queries of one statement made, for when they are wanted again: versions ask
/// the same of tables with equal rows, over and over.
///
/// A query is known by its text. What it reads is named there, and a table that is kept never
/// changes, so the same text has the same rows. Where two texts differ in the names of such tables
/// alone and their rows turn out equal, the older table is given for both: then what is asked of it
/// next is the same text again. As many rows are kept as were used last.
///
/// Threads: one at a time.
class KeyTables {
 public:
  using TablePtr = std::shared_ptr<const TemporaryTable>;
  using Numbers = database::Numbers;

  /// NULL among the numbers of a column.
  static constexpr int64_t kNull = database::kNullNumber;

  /// The connection outlives it.
  explicit KeyTables(database::Connection& connection) : connection_(connection) {}

  database::Connection& connection() const { return connection_; }

  /// The table of a query's rows under these names of columns; null where it has to be made.
  TablePtr find(const std::string& query, const std::vector<std::string>& columns);
  /// Takes in a table that was made so; gives it, or an older one with equal rows.
  TablePtr keep(const std::string& query, const std::vector<std::string>& columns, TablePtr made);

  int64_t num_rows(const std::string& table) const;
  /// Whether a column of any table has nothing but NULLs.
  bool is_null(const std::string& table, const std::string& column) const;

  /// The numbers in a column of any table, in the order of its rows.
  Numbers numbers(const std::string& table, const std::string& column);
  /// The grid that keys lay the rows of any table out as (row_space.h).
  std::optional<Shape> grid(const std::string& table, const std::vector<std::string>& keys);

 private:
  struct Kept {
    TablePtr table;
    std::vector<std::string> columns;
    int64_t num_rows = 0;
    int64_t last_used = 0;
    std::map<std::string, Numbers> numbers;             // by column
    std::map<std::string, std::optional<Shape>> grids;  // by keys
  };
  /// Queries whose texts differ in names of tables alone.
  struct Alike {
    std::string last;        // the table of the last of them
    int64_t num_others = 0;  // how many had other rows than the one before
  };

  /// The rows of a table by its columns where they are in memory.
  struct InMemory {
    std::weak_ptr<const TemporaryTable> table;
    std::vector<std::string> columns;
  };

  Kept* kept(const std::string& table);
  void note_rows(const TablePtr& table, const std::vector<std::string>& columns);
  TablePtr in_memory(const std::string& table) const;
  /// Null where it is not in memory.
  Numbers in_memory(const std::string& table, const std::string& column) const;
  Numbers read_numbers(const std::string& table, const std::string& column) const;
  bool have_equal_rows(const TemporaryTable& one, const TemporaryTable& other) const;
  void forget();
  void drop_unused();

  database::Connection& connection_;
  std::map<std::string, Kept> tables_;           // by name
  std::map<std::string, std::string> by_query_;  // names of tables, some of which may be gone
  std::map<std::string, Alike> alike_;
  std::map<std::string, InMemory> in_memory_;  // by name, some of which may be gone
  size_t num_noted_ = 0;                       // of these, when those that are gone were left out
  int64_t num_rows_ = 0;
  int64_t num_uses_ = 0;
};

}  // namespace tessera::sql
