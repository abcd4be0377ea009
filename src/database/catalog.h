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

/// A table as its user made it. Its rows are in the SQLite table of the same name; where a column
/// is one of tensors, that holds the row of the stored tensor, or NULL.
struct Table {
  std::string name;
  std::vector<Column> columns;
};

/// How the name of a table begins that no user made: what a statement keeps until it commits.
constexpr const char* kKeptTable = "tessera_kept ";

/// How often operators of one kind were pipelined into their one reader of another, of those that
/// ran.
struct PipeliningCount {
  std::string producer;  // kinds, by name
  std::string reader;
  int64_t seen = 0;
  int64_t pipelined = 0;
};

/// What a database holds, kept in tables of its SQLite file whose names start with `tessera_`. All
/// changes are part of the connection's transaction.
class Catalog {
 public:
  /// Makes the catalog's tables if there are none and `may_make`. Errors: `user` if a newer program
  /// made them; `resource` if there are none.
  Catalog(Connection& connection, bool may_make);

  /// Those that users made, and those that statements keep for themselves.
  std::vector<std::string> tables() const;
  std::vector<std::string> kept_tables() const;
  std::optional<Table> find_table(const std::string& name) const;
  /// The ids of the columns are set. REQUIRES that there is no such table.
  void add_table(Table& table);
  void remove_table(const std::string& name);
  void rename_table(const std::string& name, const std::string& new_name);
  void rename_column(const std::string& table, const std::string& name,
                     const std::string& new_name);
  /// Fixes the extents of a column that were open.
  void set_type(const Column& column);

  /// In the order of their rows.
  std::vector<Segment> segments(int64_t column) const;
  void add_segment(int64_t column, const Segment& segment);
  /// Forgets the segments from a row on.
  void remove_segments(int64_t column, int64_t first_row);
  /// The rows that are in no file yet; they come behind all segments.
  RecentRows& recent_rows() { return recent_rows_; }
  const RecentRows& recent_rows() const { return recent_rows_; }
  /// A file's number that no segment has.
  int64_t new_file();
  /// Every file that a segment is in.
  std::vector<int64_t> files() const;

  /// Views, by name, as the text of their queries; definitions of versions in the order they came.
  std::optional<std::string> find_view(const std::string& name) const;
  std::vector<std::string> views() const;
  void add_view(const std::string& name, const std::string& text);
  void remove_view(const std::string& name);
  std::vector<std::string> definitions(const std::string& table) const;
  /// Tables of which there are versions.
  std::vector<std::string> versioned_tables() const;
  void add_definition(const std::string& table, const std::string& text);
  void remove_definitions(const std::string& table);

  /// What workloads of the past tell of what is pipelined.
  std::vector<PipeliningCount> pipelining() const;
  /// Adds to what is known of a pair.
  void add_pipelining(const PipeliningCount& count);

 private:
  void make_tables();
  std::vector<std::string> texts(const std::string& sql, const std::string& name) const;
  void run(const std::string& sql, const std::vector<Value>& values);

  Connection& connection_;
  RecentRows recent_rows_;
};

}  // namespace tessera::database
