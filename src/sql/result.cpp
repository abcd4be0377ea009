#include "sql/result.h"

#include <utility>

#include <fmt/format.h>

#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

RowQuery rows_of(database::Connection& connection, RelationPtr relation) {
  std::vector<RelationColumn> columns = relation->columns;
  const auto* const owned = relation->owned.get();
  if (owned != nullptr && owned->rows() && owned->name() == relation->table &&
      owned->rows()->columns.size() == columns.size()) {
    database::NumberRows rows = *owned->rows();
    return {{std::move(relation)}, std::move(columns), std::move(rows)};
  }
  database::Statement statement = connection.prepare(
      fmt::format("SELECT * FROM {} ORDER BY rowid", frontend::sql::sqlite_name(relation->table)));
  return {{std::move(relation)}, std::move(columns), std::move(statement)};
}

ResultRows::ResultRows(RowQuery query,
                       std::map<size_t, std::shared_ptr<const store::TileSource>> tensors)
    : query_(std::move(query)), tensors_(std::move(tensors)) {
  for (const RelationColumn& column : query_.columns) {
    columns_.push_back({column.name, column.key,
                        column.tensor ? std::optional(column.tensor->element) : std::nullopt,
                        column.scalar});
  }
  places_.assign(columns_.size(), -1);
}

bool ResultRows::has_next() {
  if (auto* const statement = std::get_if<database::Statement>(&query_.rows)) {
    return statement->step();
  }
  return ++row_ < std::get<database::NumberRows>(query_.rows).num_rows;
}

database::Value ResultRows::value(size_t column) const {
  if (const auto* const statement = std::get_if<database::Statement>(&query_.rows)) {
    return statement->value(static_cast<int64_t>(column));
  }
  const auto& rows = std::get<database::NumberRows>(query_.rows);
  const int64_t number = (*rows.columns[column])[static_cast<size_t>(row_)];
  return number == database::kNullNumber ? database::Value() : database::Value(number);
}

bool ResultRows::is_null(size_t column) const {
  const auto* const statement = std::get_if<database::Statement>(&query_.rows);
  return statement != nullptr ? statement->is_null(static_cast<int64_t>(column))
                              : std::holds_alternative<std::monostate>(value(column));
}

bool ResultRows::next() {
  if (!has_next()) {
    return false;
  }
  for (size_t column = 0; column < columns_.size(); ++column) {
    places_[column] += is_null(column) ? 0 : 1;
  }
  return true;
}

store::MemoryTensor ResultRows::tensor(size_t column) const {
  const store::TileSource& source = *tensors_.at(column);
  const ArrayType& element = *columns_[column].tensor;
  store::MemoryTensor tensor(element);
  TileView row = tensor.view();
  row.shape.prepend(1, 1);
  row.strides.prepend(1, num_elements(element.shape));
  row.origin.prepend(1, places_[column]);
  source.read(row);
  return tensor;
}

}  // namespace tessera::sql
