#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "io/atomic_file.h"
#include "sql/array_literal.h"
#include "sql/csv_reader.h"
#include "sql/executor.h"
#include "sql/in_order.h"
#include "sql/programs/reshaped_rows.h"
#include "sql/scalar_value.h"
#include "sql/stored_array.h"
#include "sql/value_text.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// How a file is written and read.
struct CopyFormat {
  std::string name;  // csv, or the name of one of io's formats
  char delimiter = ',';
  bool has_header = false;
  bool is_whole = false;  // a file of tensors is one tensor, and its first mode no rows
};

CopyFormat format_of(const Copy& statement, const io::FormatRegistry& formats) {
  CopyFormat format;
  const size_t dot = statement.file.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : statement.file.substr(dot);
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
    } else if (option.name.text == "delimiter") {
      TESSERA_USER_CHECK(option.value.size() == 1, "a DELIMITER is one character, not '{}'",
                         option.value);
      format.delimiter = option.value[0];
    } else {
      throw_error(ErrorKind::unsupported, "COPY's option {}", option.name.text);
    }
  }
  return format;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  TESSERA_USER_CHECK(file.is_open(), "{}: {}", path, std::generic_category().message(errno));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

/// The records of a CSV file as a relation of these columns.
RelationPtr Executor::read_csv(const Copy& statement, char delimiter, bool has_header,
                               const database::Table& table, const std::vector<size_t>& places) {
  const std::string text = text_of_file(statement.file);
  CsvReader reader(statement.file, text, delimiter);
  std::vector<std::string> names;
  std::vector<std::string> parameters;
  std::vector<RelationColumn> columns;
  for (const size_t place : places) {
    names.push_back(sqlite_name(table.columns[place].name));
    parameters.emplace_back("?");
    columns.push_back({table.columns[place].name});
  }
  std::string empty = "SELECT ";
  for (size_t number = 0; number < names.size(); ++number) {
    empty += fmt::format("{}NULL AS {}", number == 0 ? "" : ", ", names[number]);
  }
  RelationPtr made = compiler_->make_relation(empty + " WHERE 0");
  database::Statement insert = database_.connection().prepare(fmt::format(
      "INSERT INTO temp.{} VALUES ({})", sqlite_name(made->table), fmt::join(parameters, ", ")));
  std::vector<ArrayValue> tensors(places.size());
  std::vector<int64_t> num_tensors(places.size(), 0);
  if (has_header) {
    reader.next();
  }
  while (const std::optional<CsvReader::Record> record = reader.next()) {
    TESSERA_USER_CHECK(record->size() == places.size(),
                       "{}:{}: {} fields, where {} columns are wanted", statement.file,
                       reader.line(), record->size(), places.size());
    for (size_t number = 0; number < places.size(); ++number) {
      const std::optional<std::string>& field = (*record)[number];
      database::Value value = field ? database::Value(*field) : database::Value();
      if (field && database::tensor_of(table.columns[places[number]].type) != nullptr) {
        const ArrayValue array = parse_array(*field);
        check_array(array, table.columns[places[number]], table.name, reader.line());
        ArrayValue& all = tensors[number];
        TESSERA_USER_CHECK(num_tensors[number] == 0 || all.shape == array.shape,
                           "{}:{}: column {} has a {}, and a {} before", statement.file,
                           reader.line(), table.columns[places[number]].name,
                           shape_text(array.shape), shape_text(all.shape));
        all.shape = array.shape;
        all.numbers.insert(all.numbers.end(), array.numbers.begin(), array.numbers.end());
        value = num_tensors[number]++;
      }
      insert.bind(static_cast<int64_t>(number), value);
    }
    insert.step();
    insert.reset();
  }
  for (size_t number = 0; number < places.size(); ++number) {
    if (num_tensors[number] > 0) {
      ArrayType type{DType::f64, {num_tensors[number]}};
      type.shape.insert(type.shape.end(), tensors[number].shape.begin(),
                        tensors[number].shape.end());
      auto rows = std::make_shared<store::MemoryTensor>(type);
      std::copy(tensors[number].numbers.begin(), tensors[number].numbers.end(),
                rows->view().as<double>());
      columns[number].tensor =
          program_->add_stored("csv " + std::to_string(number), std::move(rows));
    }
  }
  return std::make_shared<const Relation>(Relation{made->table, std::move(columns), made->owned});
}

/// The first mode of a file's tensor as the rows of one column.
RelationPtr Executor::read_tensor(const Copy& statement, const database::Column& column,
                                  bool is_whole) {
  const io::Format& format = session_.formats().for_path(statement.file);
  std::shared_ptr<const store::TileSource> rows =
      format.open(session_.formats().place_of(statement.file, column.name), std::nullopt);
  if (is_whole) {
    rows = std::make_shared<OneRow>(std::move(rows));
  }
  const ArrayType type = rows->type();
  TESSERA_USER_CHECK(!type.shape.empty(), "{} has no first mode, whose positions would be rows",
                     statement.file);
  const std::string name = sqlite_name(column.name);
  if (database::tensor_of(column.type) == nullptr) {
    TESSERA_USER_CHECK(type.shape.size() == 1, "column {} is {}, and {} has tensors of {} modes",
                       column.name, to_string(column.type), statement.file, type.shape.size() - 1);
    RelationPtr made = compiler_->make_relation(fmt::format("SELECT NULL AS {} WHERE 0", name));
    database::Statement insert = database_.connection().prepare(
        fmt::format("INSERT INTO temp.{} VALUES (?)", sqlite_name(made->table)));
    store::MemoryTensor numbers(type);
    rows->read(numbers.view());
    for (int64_t row = 0; row < type.shape[0]; ++row) {
      insert.bind(0, scalar_value(numbers.view(), row));
      insert.step();
      insert.reset();
    }
    return made;
  }
  const RelationPtr made =
      compiler_->make_relation(fmt::format("WITH RECURSIVE rows(n) AS (SELECT 0 WHERE {0} > 0 "
                                           "UNION ALL SELECT n + 1 FROM rows WHERE n + 1 < {0}) "
                                           "SELECT n AS {1} FROM rows",
                                           type.shape[0], name));
  Relation relation{
      made->table,
      {{column.name, column.name, program_->add_stored(statement.file, std::move(rows))}},
      made->owned};
  return std::make_shared<const Relation>(std::move(relation));
}

void Executor::run(const Copy& statement) {
  TESSERA_USER_CHECK(!statement.file.empty(), "COPY wants a file: COPY t FROM 'file.csv'");
  const CopyFormat format = format_of(statement, session_.formats());
  if (!statement.is_from) {
    copy_to(statement, format.name == "csv" ? std::optional(format.delimiter) : std::nullopt,
            format.has_header);
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
    TESSERA_USER_CHECK(places.size() == 1, "{} holds one column: name it, COPY {}(column) FROM …",
                       statement.file, table.name);
    relation = read_tensor(statement, table.columns[places.front()], format.is_whole);
  }
  tag(fmt::format("COPY {}", append(table, places, *relation)));
}

void Executor::copy_to(const Copy& statement, std::optional<char> delimiter, bool has_header) {
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
  const int64_t num_rows =
      database_.connection().integer("SELECT count(*) FROM " + sqlite_name(relation->table));
  if (!delimiter) {
    TESSERA_USER_CHECK(relation->columns.size() == 1 && relation->columns.front().tensor,
                       "{} takes one column of tensors; COPY … TO a .csv file takes any",
                       statement.file);
    const TensorRows rows =
        in_order(*relation, relation->columns.front(), std::nullopt, *compiler_);
    const io::Format& format = session_.formats().for_path(statement.file);
    TESSERA_USER_CHECK(format.create != nullptr, "files of format {} are only read", format.name);
    const std::unique_ptr<store::TileSink> sink =
        format.create(session_.formats().place_of(statement.file, rows.name), flat_type_of(rows));
    program_->run({{rows.name, sink.get()}}, *control_);
    sink->commit(store::Durability::process);
    tag(fmt::format("COPY {}", num_rows));
    return;
  }
  std::string text;
  const Receiver outer = *receive_;
  const Receiver write = [&](StatementResult result) {
    const std::vector<ResultColumn>& columns = result.rows->columns();
    for (size_t column = 0; has_header && column < columns.size(); ++column) {
      text += (column == 0 ? "" : std::string(1, *delimiter)) +
              csv_field(columns[column].name, *delimiter);
    }
    text += has_header ? "\n" : "";
    while (result.rows->next()) {
      for (size_t column = 0; column < columns.size(); ++column) {
        text += column == 0 ? "" : std::string(1, *delimiter);
        if (!result.rows->is_null(column)) {
          const std::string field = columns[column].tensor
                                        ? array_text(result.rows->tensor(column).view())
                                        : value_text(result.rows->value(column));
          text += field.empty() ? "\"\"" : csv_field(field, *delimiter);
        }
      }
      text += "\n";
    }
  };
  receive_ = &write;
  give({relation});
  receive_ = &outer;
  io::AtomicFile file(statement.file, static_cast<int64_t>(text.size()));
  file.write_at(0, reinterpret_cast<const std::byte*>(text.data()),
                static_cast<int64_t>(text.size()));
  file.commit(store::Durability::process);
  tag(fmt::format("COPY {}", num_rows));
}

}  // namespace tessera::sql
