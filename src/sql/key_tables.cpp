#include "sql/key_tables.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/sql/sqlite_text.h"
#include "sql/row_space.h"

namespace tessera::sql {

namespace {

using frontend::sql::sqlite_name;

constexpr std::string_view kPrefix = "tessera_q";  // of the names that tables here have
/// A row takes up to some hundred bytes of SQLite's; an estimate.
constexpr int64_t kMostRows = int64_t{1} << 22;
/// Texts of queries that are known; more are of versions that all ask something else.
constexpr size_t kMostQueries = 4096;
/// Queries that gave other rows so often will give others again.
constexpr int64_t kMostOthers = 3;

std::string key_of(const std::string& query, const std::vector<std::string>& columns) {
  return fmt::format("{}\n{}", query, fmt::join(columns, ","));
}

/// The text without the numbers of tables.
std::string without_numbers(const std::string& text) {
  std::string shape;
  for (size_t at = 0; at < text.size();) {
    const size_t name = text.find(kPrefix, at);
    const size_t end = name == std::string::npos ? text.size() : name + kPrefix.size();
    shape.append(text, at, end - at);
    at = end;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    }
  }
  return shape;
}

/// Whether a query gives other rows each time it is asked.
bool is_random(const std::string& query) {
  return query.find("random") != std::string::npos;
}

}  // namespace

KeyTables::Kept* KeyTables::kept(const std::string& table) {
  const auto found = tables_.find(table);
  if (found == tables_.end()) {
    return nullptr;
  }
  found->second.last_used = ++num_uses_;
  return &found->second;
}

KeyTables::TablePtr KeyTables::find(const std::string& query,
                                    const std::vector<std::string>& columns) {
  const auto known = by_query_.find(key_of(query, columns));
  const Kept* const found = known == by_query_.end() ? nullptr : kept(known->second);
  return found == nullptr ? nullptr : found->table;
}

void KeyTables::note_rows(const TablePtr& table, const std::vector<std::string>& columns) {
  if (!table->rows()) {
    return;
  }
  if (in_memory_.size() > 2 * num_noted_) {
    std::erase_if(in_memory_, [](const auto& entry) { return entry.second.table.expired(); });
    num_noted_ = in_memory_.size() + 1;
  }
  in_memory_[table->name()] = {table, columns};
}

KeyTables::TablePtr KeyTables::in_memory(const std::string& table) const {
  const auto found = in_memory_.find(table);
  return found == in_memory_.end() ? nullptr : found->second.table.lock();
}

KeyTables::Numbers KeyTables::in_memory(const std::string& table, const std::string& column) const {
  const TablePtr found = in_memory(table);
  if (found == nullptr) {
    return nullptr;
  }
  const std::vector<std::string>& columns = in_memory_.at(table).columns;
  const auto place = std::find(columns.begin(), columns.end(), column);
  return place == columns.end()
             ? nullptr
             : found->rows()->columns[static_cast<size_t>(place - columns.begin())];
}

int64_t KeyTables::num_rows(const std::string& table) const {
  const TablePtr found = in_memory(table);
  return found != nullptr ? found->rows()->num_rows
                          : connection_.integer("SELECT count(*) FROM " + sqlite_name(table));
}

bool KeyTables::is_null(const std::string& table, const std::string& column) const {
  if (const Numbers known = in_memory(table, column)) {
    return std::all_of(known->begin(), known->end(),
                       [](int64_t number) { return number == kNull; });
  }
  return connection_.integer(
             fmt::format("SELECT count({}) FROM {}", sqlite_name(column), sqlite_name(table))) == 0;
}

KeyTables::TablePtr KeyTables::keep(const std::string& query,
                                    const std::vector<std::string>& columns, TablePtr made) {
  note_rows(made, columns);
  if (is_random(query)) {
    return made;
  }
  const std::string key = key_of(query, columns);
  if (by_query_.size() >= kMostQueries || alike_.size() >= kMostQueries) {
    forget();
  }
  Alike& alike = alike_[without_numbers(key)];
  if (alike.num_others >= kMostOthers) {
    return made;
  }
  if (const Kept* const last = kept(alike.last)) {
    if (have_equal_rows(*last->table, *made)) {
      by_query_[key] = alike.last;
      return last->table;
    }
    ++alike.num_others;
  }
  const std::string& name = made->name();
  const int64_t rows =
      made->rows()
          ? made->rows()->num_rows
          : connection_.integer(fmt::format("SELECT coalesce(max(rowid), 0) FROM {}", name));
  alike.last = name;
  by_query_[key] = name;
  tables_[name] = {made, columns, rows, ++num_uses_, {}, {}};
  num_rows_ += rows;
  drop_unused();
  return made;
}

void KeyTables::forget() {
  tables_.clear();
  by_query_.clear();
  alike_.clear();
  num_rows_ = 0;
}

void KeyTables::drop_unused() {
  while (num_rows_ > kMostRows) {
    const auto oldest =
        std::min_element(tables_.begin(), tables_.end(), [](const auto& one, const auto& other) {
          return one.second.last_used < other.second.last_used;
        });
    num_rows_ -= oldest->second.num_rows;
    tables_.erase(oldest);
  }
}

bool KeyTables::have_equal_rows(const TemporaryTable& one, const TemporaryTable& other) const {
  if (one.rows() && other.rows()) {
    const auto& first = one.rows()->columns;
    const auto& second = other.rows()->columns;
    return one.rows()->num_rows == other.rows()->num_rows &&
           std::equal(first.begin(), first.end(), second.begin(), second.end(),
                      [](const Numbers& a, const Numbers& b) { return a == b || *a == *b; });
  }
  const auto all_of = [&](const TemporaryTable& table) {
    return connection_.prepare(fmt::format("SELECT * FROM {} ORDER BY rowid", table.name()));
  };
  database::Statement first = all_of(one);
  database::Statement second = all_of(other);
  const int64_t columns = first.num_columns();
  if (columns != second.num_columns()) {
    return false;
  }
  for (;;) {
    const bool has_row = first.step();
    if (second.step() != has_row) {
      return false;
    }
    if (!has_row) {
      return true;
    }
    for (int64_t column = 0; column < columns; ++column) {
      if (first.value(column) != second.value(column)) {
        return false;
      }
    }
  }
}

KeyTables::Numbers KeyTables::read_numbers(const std::string& table,
                                           const std::string& column) const {
  if (Numbers known = in_memory(table, column)) {
    return known;
  }
  auto all = std::make_shared<std::vector<int64_t>>();
  database::Statement query = connection_.prepare(
      fmt::format("SELECT {} FROM {} ORDER BY rowid", sqlite_name(column), sqlite_name(table)));
  while (query.step()) {
    all->push_back(query.is_null(0) ? kNull : query.integer(0));
  }
  return all;
}

KeyTables::Numbers KeyTables::numbers(const std::string& table, const std::string& column) {
  Kept* const of_table = kept(table);
  if (of_table == nullptr) {
    return read_numbers(table, column);
  }
  Numbers& known = of_table->numbers[column];
  if (known == nullptr) {
    known = read_numbers(table, column);
  }
  return known;
}

std::optional<Shape> KeyTables::grid(const std::string& table,
                                     const std::vector<std::string>& keys) {
  Kept* const of_table = kept(table);
  if (of_table == nullptr) {
    return grid_of(connection_, table, keys);
  }
  const std::string names = fmt::format("{}", fmt::join(keys, ","));
  const auto known = of_table->grids.find(names);
  return known != of_table->grids.end()
             ? known->second
             : of_table->grids.emplace(names, grid_of(connection_, table, keys)).first->second;
}

}  // namespace tessera::sql
