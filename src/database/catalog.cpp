#include "database/catalog.h"

#include <utility>

#include "base/error.h"

namespace tessera::database {

namespace {

/// The format of a database with rows of tensors in the catalog (recent_rows.h).
constexpr int64_t kFormat = 5;
/// The format of a new database: its scalars have checksums (page_sums.h).
constexpr int64_t kFormatOfNew = 4;
/// The format of an earlier database, with files whose checksums are those of every KiB
/// (io/checked_array.h). With the tables of row_order.h it is 2, else 1.
constexpr int64_t kFormatOfCheckedArrays = 3;

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS tessera_settings(name TEXT PRIMARY KEY, value INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS tessera_columns(
  id INTEGER PRIMARY KEY AUTOINCREMENT, relation TEXT, position INTEGER, name TEXT, type TEXT, extents TEXT) STRICT;
CREATE TABLE IF NOT EXISTS tessera_segments(column INTEGER, first_row INTEGER, num_rows INTEGER, file INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS tessera_views(name TEXT PRIMARY KEY, text TEXT) STRICT;
CREATE TABLE IF NOT EXISTS tessera_definitions(number INTEGER PRIMARY KEY AUTOINCREMENT, relation TEXT, text TEXT) STRICT;
)";

constexpr const char* kTensor = "tensor ";  // before the dtype of a column of tensors

std::string type_text(const ColumnType& type) {
  const TensorType* const tensor = tensor_of(type);
  return tensor == nullptr ? to_string(type) : kTensor + std::string(name_of(tensor->dtype));
}

/// Returns "10,?": an open extent is a question mark.
std::string extents_text(const ColumnType& type) {
  std::string text;
  const TensorType* const tensor = tensor_of(type);
  for (size_t mode = 0; tensor != nullptr && mode < tensor->extents.size(); ++mode) {
    const std::optional<int64_t>& extent = tensor->extents[mode];
    text += (mode == 0 ? "" : ",") + (extent ? std::to_string(*extent) : "?");
  }
  return text;
}

std::vector<std::optional<int64_t>> parse_extents(const std::string& text) {
  std::vector<std::optional<int64_t>> extents;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string extent = text.substr(begin, end - begin);
    extents.push_back(extent == "?" ? std::nullopt : std::optional<int64_t>(std::stoll(extent)));
    begin = end + 1;
  }
  return extents;
}

ColumnType parse_type(const std::string& type, const std::string& extents) {
  if (type.rfind(kTensor, 0) == 0) {
    return TensorType{parse_dtype(type.substr(std::string(kTensor).size())).value_or(DType::f64),
                      parse_extents(extents)};
  }
  return parse_scalar_type(type).value_or(ScalarType::any);
}

}  // namespace

void Catalog::make_tables() {
  connection_.execute("BEGIN IMMEDIATE");  // so that all are there or none
  try {
    connection_.execute(kTables);
    run("INSERT OR IGNORE INTO tessera_settings VALUES ('format', ?)", {kFormatOfNew});
    connection_.execute("INSERT OR IGNORE INTO tessera_settings VALUES ('next_file', 1)");
    connection_.execute("COMMIT");
  } catch (...) {
    if (connection_.is_in_transaction()) {
      connection_.execute("ROLLBACK");
    }
    throw;
  }
}

Catalog::Catalog(Connection& connection, bool may_make)
    : connection_(connection), recent_rows_(connection) {
  const bool is_made =
      connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'tessera_settings'") != 0;
  const bool is_empty = connection.integer("SELECT count(*) FROM sqlite_master") == 0;
  if (!is_made && (!may_make || !is_empty)) {
    throw_error(
        ErrorKind::resource,
        "catalog.sqlite does not hold the catalog of a database. Nothing was changed; put a "
        "copy of that file back, or name another folder");
  }
  if (!is_made) {
    make_tables();
  }
  const int64_t format =
      connection.integer("SELECT value FROM tessera_settings WHERE name = 'format'");
  TESSERA_USER_CHECK(format <= kFormat,
                     "the database has format {}, and this program knows {} and older: it was "
                     "written by a newer one",
                     format, kFormat);
}

void Catalog::run(const std::string& sql, const std::vector<Value>& values) {
  Statement statement = connection_.prepare_once(sql);
  for (size_t number = 0; number < values.size(); ++number) {
    statement.bind(static_cast<int64_t>(number), values[number]);
  }
  statement.step();
}

std::vector<std::string> Catalog::texts(const std::string& sql, const std::string& name) const {
  Statement statement = connection_.prepare_once(sql);
  if (!name.empty()) {
    statement.bind(0, name);
  }
  std::vector<std::string> found;
  while (statement.step()) {
    found.push_back(statement.text(0));
  }
  return found;
}

std::vector<std::string> Catalog::tables() const {
  return texts(
      "SELECT DISTINCT relation FROM tessera_columns WHERE relation NOT GLOB ? ORDER BY relation",
      kKeptTable + std::string("*"));
}

std::vector<std::string> Catalog::kept_tables() const {
  return texts(
      "SELECT DISTINCT relation FROM tessera_columns WHERE relation GLOB ? ORDER BY relation",
      kKeptTable + std::string("*"));
}

std::optional<Table> Catalog::find_table(const std::string& name) const {
  Statement rows = connection_.prepare_once(
      "SELECT id, name, type, extents FROM tessera_columns WHERE relation = ? ORDER BY position");
  rows.bind(0, name);
  Table table{name, {}};
  while (rows.step()) {
    table.columns.push_back(
        {rows.text(1), parse_type(rows.text(2), rows.text(3)), rows.integer(0)});
  }
  return table.columns.empty() ? std::nullopt : std::optional(std::move(table));
}

void Catalog::add_table(Table& table) {
  for (size_t position = 0; position < table.columns.size(); ++position) {
    Column& column = table.columns[position];
    run("INSERT INTO tessera_columns(relation, position, name, type, extents) VALUES (?, ?, ?, ?, "
        "?)",
        {table.name, static_cast<int64_t>(position), column.name, type_text(column.type),
         extents_text(column.type)});
    column.id = connection_.integer("SELECT last_insert_rowid()");
  }
}

void Catalog::remove_table(const std::string& name) {
  const std::optional<Table> table = find_table(name);
  for (const Column& column : table ? table->columns : std::vector<Column>()) {
    recent_rows_.remove(column.id);
  }
  run("DELETE FROM tessera_segments WHERE column IN (SELECT id FROM tessera_columns WHERE relation "
      "= "
      "?)",
      {name});
  run("DELETE FROM tessera_columns WHERE relation = ?", {name});
}

void Catalog::rename_table(const std::string& name, const std::string& new_name) {
  run("UPDATE tessera_columns SET relation = ? WHERE relation = ?", {new_name, name});
}

void Catalog::rename_column(const std::string& table, const std::string& name,
                            const std::string& new_name) {
  run("UPDATE tessera_columns SET name = ? WHERE relation = ? AND name = ?",
      {new_name, table, name});
}

void Catalog::set_type(const Column& column) {
  run("UPDATE tessera_columns SET type = ?, extents = ? WHERE id = ?",
      {type_text(column.type), extents_text(column.type), column.id});
}

std::vector<Segment> Catalog::segments(int64_t column) const {
  Statement rows = connection_.prepare_once(
      "SELECT first_row, num_rows, file FROM tessera_segments WHERE column = ? ORDER BY first_row");
  rows.bind(0, column);
  std::vector<Segment> segments;
  while (rows.step()) {
    segments.push_back({rows.integer(0), rows.integer(1), rows.integer(2)});
  }
  return segments;
}

void Catalog::add_segment(int64_t column, const Segment& segment) {
  run("INSERT INTO tessera_segments VALUES (?, ?, ?, ?)",
      {column, segment.first_row, segment.num_rows, segment.file});
  run("UPDATE tessera_settings SET value = ? WHERE name = 'format' AND value < ?",
      {kFormatOfCheckedArrays, kFormatOfCheckedArrays});
}

void Catalog::remove_segments(int64_t column, int64_t first_row) {
  run("DELETE FROM tessera_segments WHERE column = ? AND first_row >= ?", {column, first_row});
}

int64_t Catalog::new_file() {
  const int64_t file =
      connection_.integer("SELECT value FROM tessera_settings WHERE name = 'next_file'");
  run("UPDATE tessera_settings SET value = ? WHERE name = 'next_file'", {file + 1});
  return file;
}

std::vector<int64_t> Catalog::files() const {
  return connection_.integers("SELECT file FROM tessera_segments");
}

std::optional<std::string> Catalog::find_view(const std::string& name) const {
  const auto found = texts("SELECT text FROM tessera_views WHERE name = ?", name);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<std::string> Catalog::views() const {
  return texts("SELECT name FROM tessera_views ORDER BY name", "");
}

void Catalog::add_view(const std::string& name, const std::string& text) {
  run("INSERT INTO tessera_views VALUES (?, ?)", {name, text});
}

void Catalog::remove_view(const std::string& name) {
  run("DELETE FROM tessera_views WHERE name = ?", {name});
}

std::vector<std::string> Catalog::definitions(const std::string& table) const {
  return texts("SELECT text FROM tessera_definitions WHERE relation = ? ORDER BY number", table);
}

std::vector<std::string> Catalog::versioned_tables() const {
  return texts("SELECT DISTINCT relation FROM tessera_definitions ORDER BY relation", "");
}

void Catalog::add_definition(const std::string& table, const std::string& text) {
  run("INSERT INTO tessera_definitions(relation, text) VALUES (?, ?)", {table, text});
}

void Catalog::remove_definitions(const std::string& table) {
  run("DELETE FROM tessera_definitions WHERE relation = ?", {table});
}

std::vector<PipeliningCount> Catalog::pipelining() const {
  std::vector<PipeliningCount> counts;
  if (connection_.integer("SELECT count(*) FROM sqlite_master WHERE name = 'tessera_pipelining'") ==
      0) {
    return counts;
  }
  Statement statement =
      connection_.prepare_once("SELECT producer, reader, seen, pipelined FROM tessera_pipelining");
  while (statement.step()) {
    counts.push_back(
        {statement.text(0), statement.text(1), statement.integer(2), statement.integer(3)});
  }
  return counts;
}

void Catalog::add_pipelining(const PipeliningCount& count) {
  // Databases of this format may be older than the table.
  connection_.execute(
      "CREATE TABLE IF NOT EXISTS tessera_pipelining(producer TEXT, reader TEXT, seen INTEGER, "
      "pipelined INTEGER, PRIMARY KEY(producer, reader)) STRICT");
  run("INSERT INTO tessera_pipelining VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
      "seen = seen + excluded.seen, pipelined = pipelined + excluded.pipelined",
      {count.producer, count.reader, count.seen, count.pipelined});
}

}  // namespace tessera::database
