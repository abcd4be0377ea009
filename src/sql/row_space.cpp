#include "sql/row_space.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/sqlite_text.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

namespace {

using frontend::sql::sqlite_name;

const int64_t kNull = KeyTables::kNull;

}  // namespace

RowSpace::RowSpace(KeyTables& tables, std::string table, TensorProgram& program, Shape grid)
    : tables_(tables),
      table_(std::move(table)),
      program_(program),
      grid_(std::move(grid)),
      rows_(static_cast<size_t>(num_elements(grid_))) {
  std::iota(rows_.begin(), rows_.end(), int64_t{0});
}

const KeyTables::Numbers& RowSpace::shared_numbers(const std::string& column) {
  const auto found = numbers_.find(column);
  if (found != numbers_.end()) {
    return found->second;
  }
  KeyTables::Numbers all = tables_.numbers(table_, column);
  if (has_all_rows_) {
    return numbers_.emplace(column, std::move(all)).first->second;
  }
  std::vector<int64_t> kept;
  kept.reserve(rows_.size());
  for (const int64_t row : rows_) {
    kept.push_back((*all)[static_cast<size_t>(row)]);
  }
  return numbers_.emplace(column, std::make_shared<const std::vector<int64_t>>(std::move(kept)))
      .first->second;
}

bool RowSpace::leave_out_nulls(const std::vector<std::string>& columns) {
  const auto is_left_out = [this](const std::string& column) {
    const std::vector<int64_t>& all = numbers(column);
    return std::find(all.begin(), all.end(), kNull) != all.end();
  };
  if (std::none_of(columns.begin(), columns.end(), is_left_out)) {
    return false;
  }
  std::vector<int64_t> left;
  for (size_t place = 0; place < rows_.size(); ++place) {
    const bool is_null =
        std::any_of(columns.begin(), columns.end(),
                    [&](const std::string& column) { return numbers(column)[place] == kNull; });
    if (!is_null) {
      left.push_back(rows_[place]);
    }
  }
  rows_ = std::move(left);
  has_all_rows_ = false;
  grid_ = {static_cast<int64_t>(rows_.size())};
  numbers_.clear();
  vectors_.clear();
  return true;
}

std::optional<RowSpace::Digits> RowSpace::digits_of(const std::string& column, int64_t num_values) {
  const std::vector<int64_t>& values = numbers(column);
  if (values.empty() || values[0] != 0) {
    return std::nullopt;
  }
  // What one step along each mode adds.
  const Strides places = dense_strides(grid_);
  std::vector<std::pair<int64_t, size_t>> steps;
  std::vector<int64_t> step_of(grid_.size(), 0);
  for (size_t mode = 0; mode < grid_.size(); ++mode) {
    step_of[mode] = grid_[mode] == 1 ? 0 : values[static_cast<size_t>(places[mode])];
    if (step_of[mode] != 0) {
      steps.emplace_back(step_of[mode], mode);
    }
  }
  std::sort(steps.rbegin(), steps.rend());
  Digits digits;
  int64_t rest = num_values;
  for (const auto& [step, mode] : steps) {
    if (step < 0 || step * grid_[mode] != rest) {
      return std::nullopt;
    }
    rest = step;
    digits.modes.push_back(mode);
    digits.extents.push_back(grid_[mode]);
  }
  if (rest != 1) {
    return std::nullopt;
  }
  for (size_t place = 0; place < values.size(); ++place) {
    int64_t value = 0;
    for (const auto& [step, mode] : steps) {
      value += step * (static_cast<int64_t>(place) / places[mode] % grid_[mode]);
    }
    if (value != values[place]) {
      return std::nullopt;
    }
  }
  return digits;
}

std::string RowSpace::indexed(const std::string& vector, const Labels& row_labels) const {
  return fmt::format("{}[{}]", vector, fmt::join(row_labels, ","));
}

std::string RowSpace::add(const std::vector<int64_t>& values) {
  return program_.add_values(values, grid_);
}

std::string RowSpace::gathered(const std::string& column, const Labels& row_labels) {
  const auto found = vectors_.find(column);
  const std::string vector = found != vectors_.end() ? found->second : add(numbers(column));
  vectors_[column] = vector;
  return indexed(vector, row_labels);
}

std::string RowSpace::read(const TensorRows& tensor, const std::string& column,
                           const Labels& row_labels, const Labels& labels) {
  if (sql::num_rows(tensor) == 0) {  // every row is NULL; a CASE takes another branch
    return fmt::format("{}(0)", name_of(tensor.element.dtype));
  }
  const auto at = [&](const std::string& name, Labels indices) {
    indices.insert(indices.end(), labels.begin(), labels.end());
    return indices.empty() ? name : fmt::format("{}[{}]", name, fmt::join(indices, ","));
  };
  if (const std::optional<Digits> digits = digits_of(column, sql::num_rows(tensor))) {
    if (digits->modes.empty()) {  // there is one row, and all read it
      return at(tensor.name, Labels(tensor.grid.size(), "0"));
    }
    if (const std::optional<TensorRows> laid_out = program_.laid_out(tensor, digits->extents)) {
      Labels indices;
      for (const size_t mode : digits->modes) {
        indices.push_back(row_labels[mode]);
      }
      return at(laid_out->name, std::move(indices));
    }
  }
  const std::vector<int64_t>& rows = numbers(column);
  const Strides steps = dense_strides(tensor.grid);
  Labels indices;
  for (size_t mode = 0; mode < tensor.grid.size(); ++mode) {
    const auto [place, is_new] =
        vectors_.emplace(fmt::format("{}/{}/{}", column, tensor.name, mode), "");
    if (is_new) {
      std::vector<int64_t> of_mode;
      of_mode.reserve(rows.size());
      for (const int64_t row : rows) {
        // Where a CASE takes another branch than the one that is NULL here, any row will do.
        of_mode.push_back(row == kNull              ? 0
                          : tensor.grid.size() == 1 ? row
                                                    : row / steps[mode] % tensor.grid[mode]);
      }
      place->second = add(of_mode);
    }
    indices.push_back(indexed(place->second, row_labels));
  }
  return at(tensor.name, std::move(indices));
}

std::string RowSpace::read_numbers(const std::string& column, const Labels& row_labels) {
  std::vector<double> all;
  database::Statement query = tables_.connection().prepare(
      fmt::format("SELECT {} FROM {} ORDER BY rowid", sqlite_name(column), sqlite_name(table_)));
  while (query.step()) {
    const database::Value value = query.value(0);
    const auto* const integer = std::get_if<int64_t>(&value);
    const auto* const number = std::get_if<double>(&value);
    all.push_back(integer != nullptr  ? static_cast<double>(*integer)
                  : number != nullptr ? *number
                                      : std::numeric_limits<double>::quiet_NaN());
  }
  std::vector<double> numbers;
  for (const int64_t row : rows_) {
    numbers.push_back(all[static_cast<size_t>(row)]);
  }
  return indexed(program_.add_values(numbers, grid_), row_labels);
}

std::string RowSpace::read_positions(const std::string& column, int64_t extent,
                                     const std::string& tensor, const Labels& row_labels) {
  database::Statement wrong = tables_.connection().prepare(fmt::format(
      "SELECT {0}, rowid - 1 FROM {1} WHERE {0} IS NOT NULL AND (typeof({0}) <> 'integer' OR {0} "
      "NOT BETWEEN 1 AND {2}) ORDER BY rowid",
      sqlite_name(column), sqlite_name(table_), extent));
  while (wrong.step()) {  // of rows that are left out nothing is wanted
    TESSERA_USER_CHECK(!std::binary_search(rows_.begin(), rows_.end(), wrong.integer(1)),
                       "there is no element {} along an extent of {} in a {}", wrong.text(0),
                       extent, tensor);
  }
  const auto [place, is_new] = vectors_.emplace(column + "/positions", "");
  if (is_new) {
    std::vector<int64_t> positions;
    for (const int64_t subscript : numbers(column)) {
      positions.push_back(subscript == kNull ? 0 : subscript - 1);  // of a CASE's other branch
    }
    place->second = add(positions);
  }
  return indexed(place->second, row_labels);
}

std::string RowSpace::places_among(const RowSpace& some, const Labels& row_labels) {
  std::vector<int64_t> places;
  places.reserve(rows_.size());
  for (const int64_t row : rows_) {
    const auto found = std::lower_bound(some.rows_.begin(), some.rows_.end(), row);
    const bool is_one = found != some.rows_.end() && *found == row;
    places.push_back(is_one ? found - some.rows_.begin() : 0);
  }
  return indexed(add(places), row_labels);
}

std::optional<Shape> grid_of(database::Connection& connection, const std::string& table,
                             const std::vector<std::string>& keys) {
  if (keys.empty()) {
    return std::nullopt;
  }
  std::string counts = "SELECT count(*)";
  std::string all;
  for (const std::string& key : keys) {
    counts += fmt::format(", count(DISTINCT {0}), count({0})", sqlite_name(key));
    all += (all.empty() ? "" : ", ") + sqlite_name(key);
  }
  database::Statement query = connection.prepare(counts + " FROM " + sqlite_name(table));
  query.step();
  const int64_t num_rows = query.integer(0);
  Shape grid;
  int64_t num_combinations = 1;
  for (size_t key = 0; key < keys.size(); ++key) {
    const auto column = static_cast<int64_t>(1 + 2 * key);
    if (query.integer(column + 1) != num_rows || query.integer(column) == 0) {
      return std::nullopt;
    }
    const int64_t num_values = query.integer(column);
    num_combinations =
        num_combinations > num_rows ? num_combinations : num_combinations * num_values;
    if (num_values > 1) {
      grid.push_back(num_values);
    }
  }
  if (grid.empty()) {
    grid.push_back(1);
  }
  if (num_combinations != num_rows ||
      connection.integer(fmt::format("SELECT count(*) FROM (SELECT DISTINCT {} FROM {})", all,
                                     sqlite_name(table))) != num_rows) {
    return std::nullopt;
  }
  return grid;
}

}  // namespace tessera::sql
