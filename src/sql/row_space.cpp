#include "sql/row_space.h"

#include <algorithm>
#include <limits>
#include <memory>
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
      num_table_rows_(num_elements(grid_)),
      rows_(num_table_rows_),
      is_streamed_(program_.is_written(num_table_rows_)) {}

std::string RowSpace::column_text(const std::string& column) const {
  return fmt::format("SELECT {} FROM {}", sqlite_name(column), sqlite_name(table_));
}

void RowSpace::each_number(const std::string& column,
                           const std::function<bool(int64_t number)>& visit) {
  if (!is_streamed_) {
    const std::vector<int64_t>& all = numbers(column);
    std::all_of(all.begin(), all.end(), visit);
    return;
  }
  database::Statement query = tables_.connection().prepare(column_text(column) + " ORDER BY rowid");
  for (int64_t row = 0; query.step(); ++row) {
    if (rows_.has(row) && !visit(query.is_null(0) ? kNull : query.integer(0))) {
      return;
    }
  }
}

int64_t RowSpace::number_at(const std::string& column, int64_t place) {
  if (!is_streamed_) {
    return numbers(column)[static_cast<size_t>(place)];
  }
  database::Statement query = tables_.connection().prepare(
      fmt::format("{} WHERE rowid = {}", column_text(column), rows_.row_at(place) + 1));
  return !query.step() || query.is_null(0) ? kNull : query.integer(0);
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
  kept.reserve(static_cast<size_t>(rows_.size()));
  for (size_t row = 0; row < all->size(); ++row) {
    if (rows_.has(static_cast<int64_t>(row))) {
      kept.push_back((*all)[row]);
    }
  }
  return numbers_.emplace(column, std::make_shared<const std::vector<int64_t>>(std::move(kept)))
      .first->second;
}

bool RowSpace::has_nulls(const std::string& column) {
  bool has = false;
  each_number(column, [&](int64_t number) {
    has = number == kNull;
    return !has;
  });
  return has;
}

KeptRows RowSpace::rows_without_nulls(const std::vector<std::string>& columns) {
  if (is_streamed_) {
    std::vector<std::string> tests;
    for (const std::string& column : columns) {
      tests.push_back(sqlite_name(column) + " IS NOT NULL");
    }
    database::Statement query = tables_.connection().prepare(fmt::format(
        "SELECT {} FROM {} ORDER BY rowid", fmt::join(tests, " AND "), sqlite_name(table_)));
    return {num_table_rows_,
            [&](int64_t row) { return query.step() && query.integer(0) != 0 && rows_.has(row); }};
  }
  int64_t place = 0;
  return {num_table_rows_, [&](int64_t row) {
            const auto at = static_cast<size_t>(rows_.has(row) ? place++ : -1);
            return rows_.has(row) &&
                   std::none_of(columns.begin(), columns.end(), [&](const std::string& column) {
                     return numbers(column)[at] == kNull;
                   });
          }};
}

bool RowSpace::leave_out_nulls(const std::vector<std::string>& columns) {
  if (std::none_of(columns.begin(), columns.end(),
                   [this](const std::string& column) { return has_nulls(column); })) {
    return false;
  }
  rows_ = rows_without_nulls(columns);
  left_out_ += fmt::format("/{}", fmt::join(columns, ","));
  has_all_rows_ = false;
  grid_ = {rows_.size()};
  numbers_.clear();
  vectors_.clear();
  return true;
}

std::optional<RowSpace::Digits> RowSpace::digits_of(const std::string& column, int64_t num_values) {
  if (num_rows() == 0 || number_at(column, 0) != 0) {
    return std::nullopt;
  }
  // What one step along each mode adds.
  const Strides places = dense_strides(grid_);
  std::vector<std::pair<int64_t, size_t>> steps;
  std::vector<int64_t> step_of(grid_.size(), 0);
  for (size_t mode = 0; mode < grid_.size(); ++mode) {
    step_of[mode] = grid_[mode] == 1 ? 0 : number_at(column, places[mode]);
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
  int64_t place = 0;
  each_number(column, [&](int64_t number) {
    int64_t value = 0;
    for (const auto& [step, mode] : steps) {
      value += step * (place / places[mode] % grid_[mode]);
    }
    place += value == number ? 1 : 0;
    return value == number;
  });
  return place == num_rows() ? std::optional(digits) : std::nullopt;
}

program::Expression RowSpace::indexed(const std::string& vector, const Labels& row_labels) {
  return program::read(vector, indices_of(row_labels));
}

std::string RowSpace::vector_of(const std::string& name, const std::string& column,
                                const Converts& convert) {
  if (is_streamed_) {
    return program_.add_written(fmt::format("{}{}/{}", table_, left_out_, name), DType::i64, grid_,
                                [&](WrittenNumbers& written) {
                                  each_number(column, [&](int64_t number) {
                                    written.add(convert(number));
                                    return true;
                                  });
                                });
  }
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(num_rows()));
  for (const int64_t number : numbers(column)) {
    values.push_back(convert(number));
  }
  return program_.add_values(values, grid_);
}

program::Expression RowSpace::gathered(const std::string& column, const Labels& row_labels) {
  const auto [place, is_new] = vectors_.emplace(column, "");
  if (is_new) {
    place->second = vector_of(column, column, [](int64_t number) { return number; });
  }
  return indexed(place->second, row_labels);
}

program::Expression RowSpace::read(const TensorRows& tensor, const std::string& column,
                                   const Labels& row_labels, const Expressions& indices) {
  // Every row is NULL, and a CASE takes another branch. Without rows nothing is read.
  if (sql::num_rows(tensor) == 0 && num_rows() > 0) {
    return program::converted(tensor.element.dtype, program::number(int64_t{0}));
  }
  if (const std::optional<Digits> digits = digits_of(column, sql::num_rows(tensor))) {
    if (digits->modes.empty()) {  // there is one row, and all read it
      const Expressions first(tensor.grid.size(), program::number(int64_t{0}));
      return program::read(tensor.name, joined(first, indices));
    }
    if (const std::optional<TensorRows> laid_out = program_.laid_out(tensor, digits->extents)) {
      Expressions rows;
      for (const size_t mode : digits->modes) {
        rows.emplace_back(row_labels[mode]);
      }
      return program::read(laid_out->name, joined(rows, indices));
    }
  }
  const Strides steps = dense_strides(tensor.grid);
  Expressions rows;
  for (size_t mode = 0; mode < tensor.grid.size(); ++mode) {
    const std::string name = fmt::format("{}/{}/{}", column, tensor.name, mode);
    const auto [place, is_new] = vectors_.emplace(name, "");
    if (is_new) {
      place->second = vector_of(name, column, [&, mode = mode](int64_t row) {
        // Where a CASE takes another branch than the one that is NULL here, any row will do.
        return row == kNull              ? 0
               : tensor.grid.size() == 1 ? row
                                         : row / steps[mode] % tensor.grid[mode];
      });
    }
    rows.push_back(indexed(place->second, row_labels));
  }
  return program::read(tensor.name, joined(rows, indices));
}

program::Expression RowSpace::read_numbers(const std::string& column, const Labels& row_labels) {
  const auto each = [&](const auto& visit) {
    database::Statement query =
        tables_.connection().prepare(column_text(column) + " ORDER BY rowid");
    for (int64_t row = 0; query.step(); ++row) {
      const database::Value value = query.value(0);
      const auto* const integer = std::get_if<int64_t>(&value);
      const auto* const number = std::get_if<double>(&value);
      if (rows_.has(row)) {
        visit(integer != nullptr  ? static_cast<double>(*integer)
              : number != nullptr ? *number
                                  : std::numeric_limits<double>::quiet_NaN());
      }
    }
  };
  if (is_streamed_) {
    const std::string vector = program_.add_written(
        fmt::format("{}{}/{}/numbers", table_, left_out_, column), DType::f64, grid_,
        [&](WrittenNumbers& written) { each([&](double number) { written.add(number); }); });
    return indexed(vector, row_labels);
  }
  std::vector<double> numbers;
  numbers.reserve(static_cast<size_t>(num_rows()));
  each([&](double number) { numbers.push_back(number); });
  return indexed(program_.add_values(numbers, grid_), row_labels);
}

program::Expression RowSpace::read_positions(const std::string& column, int64_t extent,
                                             const std::string& tensor, const Labels& row_labels) {
  database::Statement wrong = tables_.connection().prepare(fmt::format(
      "SELECT {0}, rowid - 1 FROM {1} WHERE {0} IS NOT NULL AND (typeof({0}) <> 'integer' OR {0} "
      "NOT BETWEEN 1 AND {2}) ORDER BY rowid",
      sqlite_name(column), sqlite_name(table_), extent));
  while (wrong.step()) {  // of rows that are left out nothing is wanted
    TESSERA_USER_CHECK(!rows_.has(wrong.integer(1)),
                       "there is no element {} along an extent of {} in a {}", wrong.text(0),
                       extent, tensor);
  }
  const std::string name = column + "/positions";
  const auto [place, is_new] = vectors_.emplace(name, "");
  if (is_new) {
    place->second = vector_of(name, column, [](int64_t subscript) {
      return subscript == kNull ? 0 : subscript - 1;  // of a CASE's other branch
    });
  }
  return indexed(place->second, row_labels);
}

program::Expression RowSpace::places_among(const RowSpace& some, const Labels& row_labels) {
  std::vector<int64_t> places;
  places.reserve(static_cast<size_t>(rows_.size()));
  for (int64_t place = 0; place < rows_.size(); ++place) {
    places.push_back(some.rows_.place_of(rows_.row_at(place)).value_or(0));
  }
  return indexed(program_.add_values(places, grid_), row_labels);
}

std::optional<RowReader::RowsLeft> RowSpace::rows_left(const std::vector<std::string>& columns) {
  const auto some = std::make_shared<RowSpace>(*this);
  if (!some->leave_out_nulls(columns)) {
    return std::nullopt;
  }
  return RowsLeft{some, [this, some](const Labels& row_labels) {
                    return Expressions{places_among(*some, row_labels)};
                  }};
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
