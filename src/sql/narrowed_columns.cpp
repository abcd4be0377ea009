#include "sql/narrowed_columns.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/ranges.h>

#include "database/sql_error.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/row_bytes.h"
#include "sql/row_space.h"
#include "sql/scalar_value.h"
#include "sql/stored_array.h"
#include "types/native.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

/// Whether a column of whole numbers may not hold what it is given.
bool is_narrower(DType column, DType given) {
  return is_integer(column) && (is_bool(given) ? false : promote(column, given) != column);
}

/// Whether a number is another, or none, once it is cast.
bool changes(const TileView& numbers, int64_t place, DType dtype) {
  return visit_storage_type(numbers.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T number = numbers.as<T>()[place];
      return visit_storage_type(dtype, [&]<class Into>(std::type_identity<Into>) {
        if constexpr (std::is_integral_v<Into> && !std::is_same_v<Into, bool>) {
          return !std::in_range<Into>(number);
        } else {
          return false;
        }
      });
    } else {
      const database::Value value = scalar_value(numbers, place);
      const auto* const number = std::get_if<double>(&value);
      return number == nullptr || !is_number_of(*number, dtype);
    }
  });
}

std::string number_text(const TileView& numbers, int64_t place) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return std::string();  // no number is NULL
        } else {
          return fmt::format("{}", value);
        }
      },
      scalar_value(numbers, place));
}

}  // namespace

void NarrowedColumns::add(const Relation& relation, const RelationColumn& given,
                          const database::Column& column, SourceSpan span) {
  const TensorRows& tensor = *given.tensor;
  const DType dtype = database::tensor_of(column.type)->dtype;
  if (!is_narrower(dtype, tensor.element.dtype)) {
    return;
  }
  const int64_t num_rows = compiler_.key_tables().num_rows(relation.table);
  RowSpace space(compiler_.key_tables(), relation.table, compiler_.program(), {num_rows});
  space.leave_out_nulls({given.key});
  FreshLabels labels;
  const Labels rows = labels.of(space.grid());
  const Labels modes = labels.of(tensor.element.shape);
  const program::Expression number = space.read(tensor, given.key, rows, indices_of(modes));
  const program::Expression changes =
      program::call("not_equal", {program::converted(dtype, number), number});
  const TensorRows differs = compiler_.program().add(
      space.grid(), {DType::b1, {}}, {left_of(rows), program::apply("any", modes, {changes})});
  narrowed_.push_back(
      {&relation, &given, column.name, dtype, span, space.rows(), differs.name,
       std::make_unique<store::MemoryTensor>(ArrayType{DType::b1, {sql::num_rows(differs)}})});
}

void NarrowedColumns::add_sinks(std::map<std::string, store::TileSink*>& sinks) const {
  for (const Narrowed& narrowed : narrowed_) {
    sinks[narrowed.name] = narrowed.differs.get();
  }
}

void NarrowedColumns::check(const std::string& table) {
  for (const Narrowed& narrowed : narrowed_) {
    const bool* const differs = narrowed.differs->view().as<bool>();
    const auto end = differs + narrowed.rows.size();
    const auto found = std::find(differs, end, true);
    if (found != end) {
      fail(narrowed, narrowed.rows.row_at(found - differs), table);
    }
  }
}

void NarrowedColumns::fail(const Narrowed& narrowed, int64_t row, const std::string& table) {
  const TensorRows& tensor = *narrowed.given->tensor;
  compiler_.program().keep({tensor.name}, compiler_.control());
  RowBytes bytes(compiler_.program().source(tensor.name), tensor);
  const int64_t number = compiler_.connection().integer(
      fmt::format("SELECT {} FROM {} WHERE rowid = {}", sqlite_name(narrowed.given->key),
                  sqlite_name(narrowed.relation->table), row + 1));
  const std::string_view found = bytes.of(number);
  const store::MemoryTensor numbers(tensor.element);
  std::memcpy(numbers.view().data, found.data(), found.size());
  int64_t place = 0;
  while (place + 1 < num_elements(tensor.element.shape) &&
         !changes(numbers.view(), place, narrowed.dtype)) {
    ++place;
  }
  throw database::SqlError(
      database::SqlState::numeric_value_out_of_range,
      Error(ErrorKind::user,
            fmt::format("row {}: {} at {} is no {}, of which column {} of {} is", row + 1,
                        number_text(numbers.view(), place),
                        place_text(static_cast<size_t>(place), tensor.element.shape),
                        name_of(narrowed.dtype), narrowed.column, table)),
      narrowed.span);
}

}  // namespace tessera::sql
