#include "sql/key_tables.h"

#include <algorithm>
#include <cctype>
#include <limits>
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

const int64_t KeyTables::kNull = std::numeric_limits<int64_t>::min();

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

KeyTables::TablePtr KeyTables::keep(const std::string& query,
                                    const std::vector<std::string>& columns, TablePtr made) {
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
    if (have_equal_rows(last->table->name(), made->name())) {
      by_query_[key] = alike.last;
      return last->table;
    }
    ++alike.num_others;
  }
  const std::string& name = made->name();
  const int64_t rows =
      connection_.integer(fmt::format("SELECT coalesce(max(rowid), 0) FROM {}", sqlite_name(name)));
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

bool KeyTables::have_equal_rows(const std::string& one, const std::string& other) const {
  const auto all_of = [&](const std::string& table) {
    return connection_.prepare(fmt::format("SELECT * FROM {} ORDER BY rowid", sqlite_name(table)));
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
