#include "sql/array_files.h"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/in_order.h"
#include "sql/numbers_in_order.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

/// Where the array of a column stands; of several each has its name.
io::Place place_of(const std::string& file, const std::string& column, bool is_one,
                   const io::FormatRegistry& formats) {
  return is_one ? formats.place_of(file, column) : io::Place(file, column, column);
}

const io::Format& format_of_arrays(const std::string& file, size_t num_columns,
                                   const io::FormatRegistry& formats) {
  const io::Format& format = formats.for_path(formats.place_of(file, "").path);
  TESSERA_USER_CHECK(num_columns == 1 || format.has_members,
                     "{} holds one column, not {}; an .npz file holds several, by their names",
                     file, num_columns);
  return format;
}

constexpr double kMissingNumber = std::numeric_limits<double>::quiet_NaN();

/// Puts the numbers of an array into a column of SQLite's, row by row.
void put_numbers(const std::shared_ptr<const store::TileSource>& source, const Relation& relation,
                 const std::string& column, QueryCompiler& compiler) {
  NumbersInOrder numbers(source);
  database::Statement update =
      compiler.connection().prepare(fmt::format("UPDATE temp.{} SET {} = ? WHERE rowid = ?",
                                                sqlite_name(relation.table), sqlite_name(column)));
  for (int64_t row = 0; row < source->type().shape[0]; ++row) {
    update.bind(0, numbers.at(row));
    update.bind(1, row + 1);
    update.step();
    update.reset();
  }
}

/// The type of the array of a scalar column: i64 where all numbers are whole. Errors: `user` where
/// it has what is no number, or NULL and that is not to be NaN.
ArrayType array_type_of(const Relation& relation, const RelationColumn& column, int64_t num_rows,
                        bool is_null_nan, database::Connection& connection) {
  const std::string name = sqlite_name(column.key);
  const std::string table = sqlite_name(relation.table);
  const int64_t num_integers = connection.integer(
      fmt::format("SELECT count(*) FROM {} WHERE typeof({}) = 'integer'", table, name));
  const int64_t num_numbers = connection.integer(fmt::format(
      "SELECT count(*) FROM {0} WHERE typeof({1}) IN ('integer', 'real') OR nan_is({1})", table,
      name));
  const int64_t num_nulls =
      connection.integer(fmt::format("SELECT count(*) FROM {} WHERE {} IS NULL", table, name));
  TESSERA_USER_CHECK(num_nulls == 0 || is_null_nan,
                     "column {} is NULL in {} of {} rows, and an array has no NULL; COPY … WITH "
                     "(NULL 'NaN') writes NaN for it",
                     column.name, num_nulls, num_rows);
  TESSERA_USER_CHECK(num_numbers + num_nulls == num_rows,
                     "column {} has what is no number, and an array has numbers", column.name);
  return {num_integers == num_rows ? DType::i64 : DType::f64, {num_rows}};
}

void write_numbers(const Relation& relation, const RelationColumn& column, DType dtype,
                   store::TileSink& sink, database::Connection& connection) {
  WrittenNumbers numbers(sink, dtype);
  database::Statement query = connection.prepare(fmt::format(
      "SELECT {} FROM {} ORDER BY rowid", sqlite_name(column.key), sqlite_name(relation.table)));
  while (query.step()) {
    const database::Value value = query.value(0);
    const auto* const integer = std::get_if<int64_t>(&value);
    const auto* const number = std::get_if<double>(&value);
    if (dtype == DType::i64) {
      numbers.add(*integer);
    } else {
      numbers.add(integer != nullptr  ? static_cast<double>(*integer)
                  : number != nullptr ? *number
                                      : kMissingNumber);
    }
  }
  numbers.flush();
}

}  // namespace

RelationPtr read_arrays(const std::string& file, const std::vector<database::Column>& columns,
                        bool is_whole, const io::FormatRegistry& formats, QueryCompiler& compiler) {
  const io::Format& format = format_of_arrays(file, columns.size(), formats);
  std::vector<std::shared_ptr<const store::TileSource>> sources;
  std::vector<RelationColumn> made;
  std::vector<std::string> texts;
  for (const database::Column& column : columns) {
    std::shared_ptr<const store::TileSource> rows =
        format.open(place_of(file, column.name, columns.size() == 1, formats), std::nullopt);
    if (is_whole) {
      rows = std::make_shared<OneRow>(std::move(rows));
    }
    const Shape shape = rows->type().shape;
    TESSERA_USER_CHECK(!shape.empty(), "{} has no first mode for {}, whose positions would be rows",
                       file, column.name);
    TESSERA_USER_CHECK(sources.empty() || shape[0] == sources[0]->type().shape[0],
                       "{} has {} rows for {}, and {} for {}", file, shape[0], column.name,
                       sources.empty() ? 0 : sources[0]->type().shape[0], columns[0].name);
    const bool is_tensor = database::tensor_of(column.type) != nullptr;
    TESSERA_USER_CHECK(is_tensor || shape.size() == 1,
                       "column {} is {}, and {} has tensors of {} modes", column.name,
                       to_string(column.type), file, shape.size() - 1);
    texts.push_back(fmt::format("{} AS {}", is_tensor ? "n" : "NULL", sqlite_name(column.name)));
    sources.push_back(std::move(rows));
    made.push_back({column.name});
    made.back().may_be_nan = !is_tensor;
    if (is_tensor) {
      made.back().tensor =
          compiler.program().add_stored(file + " of " + column.name, sources.back());
    }
  }
  RelationPtr relation = compiler.make_relation(
      fmt::format("WITH RECURSIVE rows(n) AS (SELECT 0 WHERE {0} > 0 UNION ALL SELECT n + 1 FROM "
                  "rows WHERE n + 1 < {0}) SELECT {1} FROM rows",
                  sources[0]->type().shape[0], fmt::join(texts, ", ")),
      std::move(made));
  for (size_t column = 0; column < columns.size(); ++column) {
    if (!relation->columns[column].tensor) {
      put_numbers(sources[column], *relation, relation->columns[column].key, compiler);
    }
  }
  return relation;
}

void write_arrays(const Relation& relation, const std::string& file, bool is_null_nan,
                  const io::FormatRegistry& formats, QueryCompiler& compiler) {
  const size_t num_columns = relation.columns.size();
  const io::Format& format = format_of_arrays(file, num_columns, formats);
  TESSERA_USER_CHECK(format.create != nullptr, "files of format {} are only read", format.name);
  const int64_t num_rows = compiler.key_tables().num_rows(relation.table);
  std::vector<std::unique_ptr<store::TileSink>> sinks;
  std::map<std::string, store::TileSink*> computed;
  for (const RelationColumn& column : relation.columns) {
    const io::Place place = place_of(file, column.name, num_columns == 1, formats);
    if (!column.tensor) {
      const ArrayType type =
          array_type_of(relation, column, num_rows, is_null_nan, compiler.connection());
      sinks.push_back(format.create(place, type));
      write_numbers(relation, column, type.dtype, *sinks.back(), compiler.connection());
      continue;
    }
    const TensorRows rows = in_order(relation, column, std::nullopt, compiler);
    TESSERA_USER_CHECK(sql::num_rows(rows) == num_rows,
                       "column {} is NULL in some rows, and an array has no NULL", column.name);
    sinks.push_back(format.create(place, flat_type_of(rows)));
    if (!computed.emplace(rows.name, sinks.back().get()).second) {
      throw_error(ErrorKind::unsupported, "the same computed tensor as two arrays");
    }
  }
  if (!computed.empty()) {
    compiler.program().run(computed, compiler.control());
  }
  for (const auto& sink : sinks) {
    sink->commit(store::Durability::process);
  }
}

}  // namespace tessera::sql
