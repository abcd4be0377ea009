#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "database/row_order.h"
#include "database/sql_error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/copied_rows.h"
#include "sql/executor.h"
#include "sql/in_order.h"
#include "sql/narrowed_columns.h"
#include "sql/statement_error.h"
#include "sql/stored_array.h"
#include "sql/stored_scalars.h"
#include "sql/written_values.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

using database::ColumnType;
using database::Table;
using database::TensorType;

/// Executes what puts a relation's values into columns of a table. Errors: those of SQLite, and
/// `user` that name the row of a value that is no integer.
void execute_storing(const std::string& text, database::Connection& connection, const Table& table,
                     const std::vector<size_t>& places, const Relation& relation,
                     const std::vector<SourceSpan>& spans) {
  try {
    connection.execute(text);
  } catch (const database::SqlError& error) {
    for (size_t number = 0;
         error.state() == database::SqlState::datatype_mismatch && number < places.size();
         ++number) {
      refuse_no_integers(connection, table.columns[places[number]], table.name, relation,
                         relation.columns[number],
                         number < spans.size() ? spans[number] : SourceSpan{});
    }
    throw;
  }
}

}  // namespace

void Executor::fix_type(database::Column& column, const ArrayType& element,
                        const std::string& table) {
  TensorType& type = std::get<TensorType>(column.type);
  bool fits = type.extents.size() == element.shape.size();
  bool is_open = false;
  for (size_t mode = 0; fits && mode < element.shape.size(); ++mode) {
    fits = type.extents[mode].value_or(element.shape[mode]) == element.shape[mode];
    is_open = is_open || !type.extents[mode];
  }
  TESSERA_USER_CHECK(fits, "column {} of {} is a {}, and {}{} is given", column.name, table,
                     to_string(ColumnType(type)), element.shape.empty() ? "" : "a ",
                     shape_text(element.shape));
  if (is_open) {
    type.extents.assign(element.shape.begin(), element.shape.end());
    database_.catalog().set_type(column);
  }
}

std::vector<std::string> Executor::stored_columns(Table& table, const std::vector<size_t>& places,
                                                  const Relation& relation,
                                                  const std::vector<SourceSpan>& spans) {
  std::vector<std::string> texts;
  std::map<size_t, database::NewRows> rows;
  std::map<size_t, std::shared_ptr<const store::MemoryTensor>> copies;
  int64_t room = kMostCopiedBytes;
  std::map<std::string, store::TileSink*> sinks;
  NarrowedColumns narrowed(*compiler_);
  for (size_t number = 0; number < places.size(); ++number) {
    database::Column& column = table.columns[places[number]];
    const RelationColumn& given = relation.columns[number];
    const TensorType* const tensor = database::tensor_of(column.type);
    TESSERA_USER_CHECK(
        (tensor != nullptr) == given.tensor.has_value() || is_null_column(relation, given),
        "column {} of {} is {}, and {} is given", column.name, table.name, to_string(column.type),
        given.tensor ? shape_text(given.tensor->element.shape) : "a scalar");
    if (tensor == nullptr || !given.tensor) {
      texts.push_back(stored_scalars(database_.connection(), column, table.name, relation, given,
                                     number < spans.size() ? spans[number] : SourceSpan{}));
      continue;
    }
    if (is_null_column(relation, given)) {  // and no tensor says what the column's extents are
      texts.push_back("NULL");
      continue;
    }
    const SourceSpan span = number < spans.size() ? spans[number] : SourceSpan{};
    at(span, [&] { fix_type(column, given.tensor->element, table.name); });
    if (auto copied = copied_rows(relation, given, tensor->dtype, *compiler_, room)) {
      copies[number] = std::move(copied);
      texts.push_back("");
      continue;
    }
    narrowed.add(relation, given, column, span);
    const TensorRows made = in_order(relation, given, tensor->dtype, *compiler_);
    // Two columns may want the same tensor, and a sink is of one file.
    rows.emplace(number, database_.new_rows(flat_type_of(made)));
    const auto [sink, is_new] = sinks.emplace(made.name, rows.at(number).sink.get());
    if (!is_new) {
      throw_error(ErrorKind::unsupported,
                  "the same computed tensor in two columns; insert it twice");
    }
    texts.push_back("");
  }
  narrowed.add_sinks(sinks);
  if (!sinks.empty()) {
    program_->run(sinks, *control_);
  }
  narrowed.check(table.name);
  const auto note_first = [&](size_t number, int64_t first) {
    const std::string name = sqlite_name(relation.columns[number].key);
    texts[number] = fmt::format(
        "CASE WHEN {0} IS NOT NULL THEN {1} + count({0}) OVER (ORDER BY rowid ROWS UNBOUNDED "
        "PRECEDING) - 1 END",
        name, first);
  };
  for (const auto& [number, copied] : copies) {
    note_first(number, database_.add_rows(table.columns[places[number]], *copied));
  }
  for (auto& [number, made] : rows) {
    note_first(number, database_.add_rows(table.columns[places[number]], std::move(made)));
  }
  return texts;
}

bool Executor::is_null_column(const Relation& relation, const RelationColumn& column) const {
  return compiler_->key_tables().is_null(relation.table, column.key);
}

int64_t Executor::append(Table& table, const std::vector<size_t>& places, const Relation& relation,
                         const std::vector<SourceSpan>& spans) {
  const std::vector<std::string> texts = stored_columns(table, places, relation, spans);
  std::vector<std::string> names;
  for (const size_t place : places) {
    names.push_back(sqlite_name(table.columns[place].name));
  }
  database::RowOrderOfNewRows order(database_.connection(), table);
  execute_storing(
      fmt::format("INSERT INTO {} ({}) SELECT {} FROM {} ORDER BY rowid", sqlite_name(table.name),
                  fmt::join(names, ", "), fmt::join(texts, ", "), sqlite_name(relation.table)),
      database_.connection(), table, places, relation, spans);
  const int64_t num_new = database_.connection().num_changed();
  order.note(num_new);
  return num_new;
}

namespace {

/// True if a value of a column is stored as SQLite converts it: dates and truth values are checked
/// here, and so is what may be NaN.
bool is_stored_as_written(const Expression& value, const ColumnType& type) {
  const auto* const scalar = std::get_if<database::ScalarType>(&type);
  const bool is_null = std::holds_alternative<NullLiteral>(value.of);
  if (scalar == nullptr) {
    return is_null || std::holds_alternative<ArrayLiteral>(value.of);
  }
  const bool is_text =
      std::holds_alternative<StringLiteral>(value.of) && (*scalar == database::ScalarType::text);
  const bool is_written_number = is_number(value) && (*scalar == database::ScalarType::integer ||
                                                      *scalar == database::ScalarType::real);
  return is_null || is_text || is_written_number;
}

}  // namespace

std::optional<int64_t> Executor::append_written(Table& table, const std::vector<size_t>& places,
                                                const Select& query) {
  const bool is_plain = query.with.empty() && query.order.empty() && !query.limit &&
                        !query.offset && !query.values.empty();
  if (!is_plain) {
    return std::nullopt;
  }
  for (const std::vector<ExpressionPtr>& row : query.values) {
    for (size_t number = 0; number < row.size(); ++number) {
      if (row.size() != places.size() ||
          !is_stored_as_written(*row[number], table.columns[places[number]].type)) {
        return std::nullopt;
      }
    }
  }
  const WrittenValues values(query);
  std::map<size_t, std::shared_ptr<const store::MemoryTensor>> tensors;
  for (size_t number = 0; number < values.num_columns(); ++number) {
    if (values.has_arrays(number)) {
      const database::Column& column = table.columns[places[number]];
      tensors[number] = rounded(values.tensor(number), database::tensor_of(column.type)->dtype);
      if (tensors[number] == nullptr) {
        return std::nullopt;
      }
    }
  }
  std::vector<int64_t> first(values.num_columns(), 0);
  for (const auto& [number, rows] : tensors) {
    database::Column& column = table.columns[places[number]];
    const Shape shape = rows->type().shape;
    fix_type(column, {rows->type().dtype, {shape.begin() + 1, shape.end()}}, table.name);
    first[number] = database_.add_rows(column, *rows);
  }
  std::vector<std::string> names;
  for (const size_t place : places) {
    names.push_back(sqlite_name(table.columns[place].name));
  }
  database::RowOrderOfNewRows order(database_.connection(), table);
  database_.connection().execute(fmt::format("INSERT INTO {} ({}) {}", sqlite_name(table.name),
                                             fmt::join(names, ", "),
                                             sqlite_text(*values.numbered(first))));
  const int64_t num_new = database_.connection().num_changed();
  order.note(num_new);
  return num_new;
}

void Executor::run(const Insert& statement) {
  if (!statement.returning.empty()) {
    throw_error(ErrorKind::unsupported, "INSERT … RETURNING");
  }
  Table table = stored_table(statement.table);
  std::vector<size_t> places;
  for (const Name& name : statement.columns) {
    places.push_back(place_of(table, name));
    TESSERA_USER_CHECK(std::count(places.begin(), places.end(), places.back()) == 1,
                       "column {} is named twice", name.text);
  }
  const SelectPtr query = with_arrays(statement.query, table, places);
  std::vector<size_t> places_of_values = places;
  for (size_t place = 0; statement.columns.empty() && !query->values.empty() &&
                         place < std::min(query->values.front().size(), table.columns.size());
       ++place) {
    places_of_values.push_back(place);
  }
  if (const auto num_new = append_written(table, places_of_values, *query)) {
    tag(fmt::format("INSERT 0 {}", *num_new));
    return;
  }
  const RelationPtr relation = compiler_->compile(query);
  for (size_t place = 0; statement.columns.empty() && place < relation->columns.size(); ++place) {
    places.push_back(place);
  }
  TESSERA_USER_CHECK(
      places.size() == relation->columns.size() && places.size() <= table.columns.size(),
      "{} values are given for {} columns of {}", relation->columns.size(),
      statement.columns.empty() ? table.columns.size() : places.size(), table.name);
  std::vector<SourceSpan> spans;
  for (const Target& target : statement.query->targets) {
    const bool is_star = std::holds_alternative<Star>(target.expression->of);
    spans.push_back(is_star ? SourceSpan{} : target.expression->span);
  }
  spans.resize(spans.size() == places.size() ? spans.size() : 0);
  tag(fmt::format("INSERT 0 {}", append(table, places, *relation, spans)));
}

void Executor::run(const Update& statement) {
  Table table = stored_table(statement.table);
  Select query;
  const Name alias = statement.alias ? *statement.alias : statement.table;
  query.targets.push_back(
      {make_expression(ColumnReference{alias, Name{"rowid", {}}}), Name{"tessera_row", {}}});
  std::vector<size_t> places;
  std::vector<SourceSpan> spans;
  for (const Update::Assignment& assignment : statement.assignments) {
    places.push_back(place_of(table, assignment.column));
    query.targets.push_back(
        {stored_array(assignment.value, table.columns[places.back()], table.name, std::nullopt),
         Name{"tessera_value" + std::to_string(places.size()), {}}});
    spans.push_back(assignment.value->span);
  }
  FromItem item{TableReference{statement.table, {}, false}, alias, {}, statement.table.span};
  query.from.push_back(std::make_shared<const FromItem>(std::move(item)));
  query.from.insert(query.from.end(), statement.from.begin(), statement.from.end());
  query.where = statement.where;
  const RelationPtr relation = compiler_->compile(std::make_shared<const Select>(std::move(query)));
  Relation values = *relation;
  values.columns.erase(values.columns.begin());
  const std::vector<std::string> texts = stored_columns(table, places, values, spans);
  std::vector<std::string> columns{"tessera_row"};
  std::vector<std::string> assignments;
  for (size_t number = 0; number < places.size(); ++number) {
    columns.push_back(fmt::format("{} AS v{}", texts[number], number));
    assignments.push_back(
        fmt::format("{} = changed.v{}", sqlite_name(table.columns[places[number]].name), number));
  }
  const RelationPtr changed = compiler_->make_relation(fmt::format(
      "SELECT {} FROM {} ORDER BY rowid", fmt::join(columns, ", "), sqlite_name(relation->table)));
  execute_storing(
      fmt::format("UPDATE {0} SET {1} FROM {2} AS changed WHERE {0}.rowid = changed.tessera_row",
                  sqlite_name(table.name), fmt::join(assignments, ", "),
                  sqlite_name(changed->table)),
      database_.connection(), table, places, values, spans);
  const int64_t num_changed = database_.connection().num_changed();
  std::set<std::string> changed_columns;
  for (const size_t place : places) {
    changed_columns.insert(table.columns[place].name);
  }
  const std::optional<std::string> key = database::rowid_column(database_.connection(), table.name);
  const bool may_move = (key && changed_columns.count(*key) != 0) ||
                        std::any_of(places.begin(), places.end(), [&](size_t place) {
                          return database::tensor_of(table.columns[place].type) != nullptr;
                        });
  if (may_move) {
    database::look_up_row_orders(database_.connection(), table, changed_columns);
  }
  tag(fmt::format("UPDATE {}", num_changed));
}

void Executor::run(const Delete& statement) {
  const Table table = stored_table(statement.table);
  Select query;
  const Name alias = statement.alias ? *statement.alias : statement.table;
  query.targets.push_back(
      {make_expression(ColumnReference{alias, Name{"rowid", {}}}), Name{"tessera_row", {}}});
  FromItem item{TableReference{statement.table, {}, false}, alias, {}, statement.table.span};
  query.from.push_back(std::make_shared<const FromItem>(std::move(item)));
  query.from.insert(query.from.end(), statement.from.begin(), statement.from.end());
  query.where = statement.where;
  const RelationPtr relation = compiler_->compile(std::make_shared<const Select>(std::move(query)));
  database_.connection().execute(
      fmt::format("DELETE FROM {} WHERE rowid IN (SELECT tessera_row FROM {})",
                  sqlite_name(table.name), sqlite_name(relation->table)));
  const int64_t num_deleted = database_.connection().num_changed();
  database::look_up_row_orders(database_.connection(), table, {});
  tag(fmt::format("DELETE {}", num_deleted));
}

}  // namespace tessera::sql
