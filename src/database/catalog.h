#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "database/column_type.h"
#include "database/recent_rows.h"
#include "database/segment.h"
#include "database/sqlite.h"

namespace tessera::database {

struct Column {
  std::string name;
  ColumnType type;
  int64_t id = 0;  // within the database; 0 until it is stored
};

/// A table as its user made it. Its rows are in the SQLite table of the same name; a column of
/// tensors holds there the row of the stored tensor, or NULL.
struct Table {
  std::string name;
  std::vector<Column> columns;
};

/// The prefix of tables that no user made: those that a statement keeps until it commits.
constexpr const char* kKeptTable = "tessera_kept ";

/// A count of operators of one kind that ran, and of those that were pipelined into their only
/// reader, of another kind.
struct PipeliningCount {
  std::string producer;  // kinds, by name
  std::string reader;
  int64_t seen = 0;
  int64_t pipelined = 0;
};

/// The contents of a database, kept in tables of its SQLite file whose names start with `tessera_`.
/// All changes are part of the connection's transaction.
class Catalog {
 public:
  /// Makes the catalog's tables if there are none and `may_make`. Errors: `user` if a newer program
  /// made them; `resource` if there are none.
  Catalog(Connection& connection, bool may_make);

  /// Returns the tables that users made, and those that statements keep for themselves.
  std::vector<std::string> tables() const;
  std::vector<std::string> kept_tables() const;
  std::optional<Table> find_table(const std::string& name) const;
  /// Adds a table and sets the ids of its columns. REQUIRES that there is no such table.
  void add_table(Table& table);
  void remove_table(const std::string& name);
  void rename_table(const std::string& name, const std::string& new_name);
  void rename_column(const std::string& table, const std::string& name,
                     const std::string& new_name);
  /// Fixes the open extents of a column.
  void set_type(const Column& column);

  /// Returns the segments of a column in the order of their rows.
  std::vector<Segment> segments(int64_t column) const;
  void add_segment(int64_t column, const Segment& segment);
  /// Forgets the segments from a row on.
  void remove_segments(int64_t column, int64_t first_row);
  /// Returns the rows that are in no file yet; they follow all segments.
  RecentRows& recent_rows() { return recent_rows_; }
  const RecentRows& recent_rows() const { return recent_rows_; }
  /// Returns a file's number that no segment has.
  int64_t new_file();
  /// Returns the files of all segments.
  std::vector<int64_t> files() const;

  /// Returns the text of a view's query. Views go by name; definitions of versions are in the order
  /// they came.
  std::optional<std::string> find_view(const std::string& name) const;
  std::vector<std::string> views() const;
  void add_view(const std::string& name, const std::string& text);
  void remove_view(const std::string& name);
  std::vector<std::string> definitions(const std::string& table) const;
  /// Returns the tables that have versions.
  std::vector<std::string> versioned_tables() const;
  void add_definition(const std::string& table, const std::string& text);
  void remove_definitions(const std::string& table);

  /// Returns the counts of past workloads about pipelining.
  std::vector<PipeliningCount> pipelining() const;
  /// Adds to the counts of a pair.
  void add_pipelining(const PipeliningCount& count);

 private:
  void make_tables();
  std::vector<std::string> texts(const std::string& sql, const std::string& name) const;
  void run(const std::string& sql, const std::vector<Value>& values);

  Connection& connection_;
  RecentRows recent_rows_;
};

}  // namespace tessera::database
