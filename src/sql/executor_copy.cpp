#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/array_literal.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "io/atomic_file.h"
#include "sql/appended_rows.h"
#include "sql/array_files.h"
#include "sql/csv_reader.h"
#include "sql/executor.h"
#include "sql/extreme_classification.h"
#include "sql/number_text.h"
#include "sql/stored_array.h"
#include "sql/value_text.h"
#include "sql/written_text.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kExtremeClassification = "xc";

CopyFormat format_of(const Copy& statement, const io::FormatRegistry& formats) {
  CopyFormat format;
  const size_t dot = statement.file.rfind('.');
  std::string extension = dot == std::string::npos ? "" : statement.file.substr(dot);
  extension = extension.substr(0, extension.find(':'));  // of an archive's member
  format.name = "csv";
  for (const io::Format& known : formats.all()) {
    if (std::find(known.extensions.begin(), known.extensions.end(), extension) !=
        known.extensions.end()) {
      format.name = known.name;
    }
  }
  for (const Copy::Option& option : statement.options) {
    if (option.name.text == "format") {
      format.name = option.value;
    } else if (option.name.text == "header") {
      format.has_header = option.value != "false" && option.value != "off";
    } else if (option.name.text == "whole") {
      format.is_whole = option.value != "false" && option.value != "off";
    } else if (option.name.text == "null") {
      TESSERA_USER_CHECK(float_in(option.value) && std::isnan(*float_in(option.value)),
                         "COPY writes NULL into an array as 'NaN', not as '{}'", option.value);
      format.is_null_nan = true;
    } else if (option.name.text == "delimiter") {
      TESSERA_USER_CHECK(option.value.size() == 1, "a DELIMITER is one character, not '{}'",
                         option.value);
      format.delimiter = option.value[0];
    } else {
      throw_error(ErrorKind::unsupported, "COPY's option {}", option.name.text);
    }
  }
  if (format.is_null_nan && (format.name == "csv" || format.name == kExtremeClassification)) {
    throw_error(ErrorKind::unsupported, "COPY's option null of a file that is no array");
  }
  return format;
}

/// A field as a value of a column of scalars: a number where it is one in all its length, else a
/// text, which SQLite may still read as one.
database::Value value_in(const std::string& field, const database::ColumnType& type) {
  const auto scalar = std::get<database::ScalarType>(type);
  if (scalar == database::ScalarType::real) {
    const std::optional<double> number = float_in(field);
    return number ? database::Value(*number) : database::Value(field);
  }
  int64_t whole = 0;
  const char* const end = field.data() + field.size();
  const auto [behind, error] = std::from_chars(field.data(), end, whole);
  const bool is_whole =
      scalar == database::ScalarType::integer && error == std::errc() && behind == end;
  return is_whole ? database::Value(whole) : database::Value(field);
}

/// The tensors of a column, as their texts come.
class TensorTexts {
 public:
  TensorTexts(const TensorProgram& program, const database::Column& column, std::string table)
      : program_(program), column_(column), table_(std::move(table)) {
    const DType dtype = database::tensor_of(column.type)->dtype;
    dtype_ = dtype == DType::i64 || dtype == DType::u64 ? dtype : DType::f64;
  }

  /// The number of the new row. Errors: `user`, naming file and line, where the text is no tensor
  /// of the column.
  int64_t add(const std::string& field, const std::string& file, int64_t line) {
    const std::string where = fmt::format("{}:{}: column {}", file, line, column_.name);
    const ArrayValue array = array_in(field, where + ": ");
    check_array(array, column_, table_, line);
    if (!rows_) {
      rows_.emplace(program_, dtype_, array.shape);
    }
    TESSERA_USER_CHECK(rows_->shape() == array.shape, "{} has a {}, and a {} before", where,
                       shape_text(array.shape), shape_text(rows_->shape()));
    return rows_->add(bits_of(array.numbers, dtype_));
  }

  /// All of them; null if there are none.
  std::shared_ptr<const store::TileSource> finish() { return rows_ ? rows_->finish() : nullptr; }

 private:
  static ArrayValue array_in(const std::string& field, const std::string& before) {
    try {
      return parse_array(field);
    } catch (const Error& error) {
      throw Error(error.kind(), before + error.message());
    }
  }

  const TensorProgram& program_;
  const database::Column& column_;
  std::string table_;
  DType dtype_;
  std::optional<AppendedRows> rows_;
};

void write_csv(ResultRows& rows, const CopyFormat& format, WrittenText& text) {
  const std::vector<ResultColumn>& columns = rows.columns();
  const auto before = [&](size_t column) {
    return column == 0 ? std::string() : std::string(1, format.delimiter);
  };
  for (size_t column = 0; format.has_header && column < columns.size(); ++column) {
    text.add(before(column) + csv_field(columns[column].name, format.delimiter));
  }
  text.add(format.has_header ? "\n" : "");
  while (rows.next()) {
    for (size_t column = 0; column < columns.size(); ++column) {
      text.add(before(column));
      if (!rows.is_null(column)) {
        const std::string field = columns[column].tensor ? array_text(rows.tensor(column).view())
                                                         : value_text(rows.value(column));
        text.add(field.empty() ? "\"\"" : csv_field(field, format.delimiter));
      }
    }
    text.add("\n");
  }
}

}  // namespace

/// The records of a CSV file as a relation of these columns.
RelationPtr Executor::read_csv(const Copy& statement, char delimiter, bool has_header,
                               const database::Table& table, const std::vector<size_t>& places) {
  CsvReader reader(statement.file, delimiter);
  std::vector<std::string> names;
  std::vector<std::string> parameters;
  std::vector<RelationColumn> columns;
  for (const size_t place : places) {
    names.push_back(sqlite_name(table.columns[place].name));
    parameters.emplace_back("?");
    columns.push_back({table.columns[place].name});
    columns.back().may_be_nan = true;
  }
  std::string empty = "SELECT ";
  for (size_t number = 0; number < names.size(); ++number) {
    empty += fmt::format("{}NULL AS {}", number == 0 ? "" : ", ", names[number]);
  }
  RelationPtr made = compiler_->make_relation(empty + " WHERE 0");
  database::Statement insert = database_.connection().prepare(fmt::format(
      "INSERT INTO temp.{} VALUES ({})", sqlite_name(made->table), fmt::join(parameters, ", ")));
  std::map<size_t, TensorTexts> tensors;
  for (size_t number = 0; number < places.size(); ++number) {
    const database::Column& column = table.columns[places[number]];
    if (database::tensor_of(column.type) != nullptr) {
      tensors.emplace(number, TensorTexts(*program_, column, table.name));
    }
  }
  if (has_header) {
    reader.next();
  }
  while (const std::optional<CsvReader::Record> record = reader.next()) {
    TESSERA_USER_CHECK(record->size() == places.size(),
                       "{}:{}: {} fields, where {} columns are wanted", statement.file,
                       reader.line(), record->size(), places.size());
    for (size_t number = 0; number < places.size(); ++number) {
      const std::optional<std::string>& field = (*record)[number];
      const auto tensor = tensors.find(number);
      const database::Value value = !field ? database::Value()
                                    : tensor == tensors.end()
                                        ? value_in(*field, table.columns[places[number]].type)
                                        : tensor->second.add(*field, statement.file, reader.line());
      insert.bind(static_cast<int64_t>(number), value);
    }
    insert.step();
    insert.reset();
  }
  for (auto& [number, texts] : tensors) {
    if (const std::shared_ptr<const store::TileSource> rows = texts.finish()) {
      columns[number].tensor = program_->add_stored("csv " + std::to_string(number), rows);
    }
  }
  return std::make_shared<const Relation>(Relation{made->table, std::move(columns), made->owned});
}

void Executor::run(const Copy& statement) {
  TESSERA_USER_CHECK(!statement.file.empty(), "COPY wants a file: COPY t FROM 'file.csv'");
  const CopyFormat format = format_of(statement, session_.formats());
  if (!statement.is_from) {
    copy_to(statement, format);
    return;
  }
  database::Table table = stored_table(*statement.table);
  std::vector<size_t> places;
  for (size_t place = 0; place < table.columns.size(); ++place) {
    places.push_back(place);
  }
  if (!statement.columns.empty()) {
    places.clear();
    for (const Name& name : statement.columns) {
      places.push_back(place_of(table, name));
    }
  }
  RelationPtr relation;
  if (format.name == "csv") {
    relation = read_csv(statement, format.delimiter, format.has_header, table, places);
  } else {
    std::vector<database::Column> columns;
    for (const size_t place : places) {
      columns.push_back(table.columns[place]);
    }
    relation =
        format.name == kExtremeClassification
            ? read_extreme_classification(statement.file, columns, *compiler_)
            : read_arrays(statement.file, columns, format.is_whole, session_.formats(), *compiler_);
  }
  tag(fmt::format("COPY {}", append(table, places, *relation)));
}

void Executor::copy_to(const Copy& statement, const CopyFormat& format) {
  Select all;
  if (statement.table) {
    for (const Name& name : statement.columns) {
      all.targets.push_back({make_expression(ColumnReference{std::nullopt, name}), std::nullopt});
    }
    if (all.targets.empty()) {
      all.targets.push_back({make_expression(Star{}), std::nullopt});
    }
    FromItem item{
        TableReference{*statement.table, {}, false}, std::nullopt, {}, statement.table->span};
    all.from.push_back(std::make_shared<const FromItem>(std::move(item)));
  }
  const RelationPtr relation = compiler_->compile(
      statement.query ? statement.query : std::make_shared<const Select>(std::move(all)));
  const int64_t num_rows = compiler_->key_tables().num_rows(relation->table);
  if (format.name != "csv" && format.name != kExtremeClassification) {
    write_arrays(*relation, statement.file, format.is_null_nan, session_.formats(), *compiler_);
    tag(fmt::format("COPY {}", num_rows));
    return;
  }
  io::AtomicFile file(statement.file, 0);
  const Receiver outer = *receive_;
  const Receiver write = [&](StatementResult result) {
    WrittenText text(file);
    if (format.name == "csv") {
      write_csv(*result.rows, format, text);
    } else {
      write_extreme_classification(*result.rows, num_rows, text);
    }
    text.finish();
  };
  receive_ = &write;
  give({relation});
  receive_ = &outer;
  file.commit(store::Durability::process);
  tag(fmt::format("COPY {}", num_rows));
}

}  // namespace tessera::sql
