#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "database/row_order.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/executor.h"
#include "sql/in_order.h"
#include "sql/statement_error.h"
#include "sql/version_definitions.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

using database::ColumnType;
using database::ScalarType;
using database::Table;
using database::TensorType;

/// The modes of a type's word; none where any number will do.
std::optional<size_t> modes_of(const std::string& word) {
  return word == "vector"   ? std::optional<size_t>(1)
         : word == "matrix" ? std::optional<size_t>(2)
                            : std::nullopt;
}

ColumnType type_of(const TypeName& type) {
  const std::string& name = type.name.text;
  if (name != "matrix" && name != "vector" && name != "tensor") {
    TESSERA_USER_CHECK(type.extents.empty(),
                       "{} has no extents: a tensor is a vector, a matrix or a tensor", name);
    const std::optional<ScalarType> scalar = database::parse_scalar_type(name);
    TESSERA_USER_CHECK(scalar.has_value(), "there is no type {}", name);
    return *scalar;
  }
  TensorType tensor{DType::f64, type.extents};
  TESSERA_USER_CHECK(!tensor.extents.empty() &&
                         modes_of(name).value_or(tensor.extents.size()) == tensor.extents.size(),
                     "a {0} has {1} extents: {0}{2}", name, modes_of(name).value_or(3),
                     name == "vector"   ? "[10]"
                     : name == "matrix" ? "[10][20]"
                                        : "[2][3][4]");
  for (const std::optional<int64_t>& extent : tensor.extents) {
    TESSERA_USER_CHECK(!extent || *extent > 0, "an extent of a {} is at least 1", name);
  }
  if (!type.modifiers.empty()) {
    const std::optional<DType> dtype = parse_dtype(type.modifiers.front());
    TESSERA_USER_CHECK(dtype.has_value(), "{} is no dtype: f64, f32, i64, …",
                       type.modifiers.front());
    tensor.dtype = *dtype;
  }
  return tensor;
}

std::string names_of(const std::vector<Name>& names) {
  std::vector<std::string> texts;
  for (const Name& name : names) {
    texts.push_back(sqlite_name(name.text));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string definition_text(const ColumnDefinition& definition, const ColumnType& type) {
  std::string text = sqlite_name(definition.name.text) + " " + sqlite_type(type);
  text += definition.is_primary_key ? " PRIMARY KEY" : "";
  text += definition.is_not_null ? " NOT NULL" : "";
  text += definition.is_unique ? " UNIQUE" : "";
  text += definition.check ? " CHECK (" + sqlite_text(*definition.check) + ")" : "";
  text +=
      definition.default_value ? " DEFAULT (" + sqlite_text(*definition.default_value) + ")" : "";
  return text;
}

std::string constraint_text(const TableConstraint& constraint) {
  switch (constraint.kind) {
    case TableConstraint::Kind::primary_key:
      return "PRIMARY KEY (" + names_of(constraint.columns) + ")";
    case TableConstraint::Kind::unique:
      return "UNIQUE (" + names_of(constraint.columns) + ")";
    case TableConstraint::Kind::check:
      return "CHECK (" + sqlite_text(*constraint.condition) + ")";
  }
  return "";
}

/// What SQLite calls the values of a type.
std::string stored_kind(ScalarType type) {
  return type == ScalarType::real                                     ? "real"
         : type == ScalarType::text || type == ScalarType::date       ? "text"
         : type == ScalarType::integer || type == ScalarType::boolean ? "integer"
                                                                      : "";
}

/// The type of a scalar column: what is known of it where that is so of all its values, else what
/// these have in common.
ScalarType type_in(database::Connection& connection, const std::string& table,
                   const RelationColumn& found) {
  const std::string& column = found.key;
  std::set<std::string> kinds;
  database::Statement query = connection.prepare(
      fmt::format("SELECT DISTINCT typeof({}) FROM {}", sqlite_name(column), sqlite_name(table)));
  while (query.step()) {
    kinds.insert(query.text(0));
  }
  kinds.erase("null");
  if (found.scalar && std::all_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
        return kind == stored_kind(*found.scalar);
      })) {
    return *found.scalar;
  }
  if (kinds == std::set<std::string>{"integer"}) {
    return ScalarType::integer;
  }
  if (kinds == std::set<std::string>{"text"}) {
    return ScalarType::text;
  }
  const bool is_number = std::all_of(kinds.begin(), kinds.end(), [](const std::string& kind) {
    return kind == "integer" || kind == "real";
  });
  return is_number && !kinds.empty() ? ScalarType::real : ScalarType::any;
}

}  // namespace

Table Executor::stored_table(const Name& name) const {
  std::optional<Table> table = database_.catalog().find_table(name.text);
  if (!table) {
    fail_no_table(name);
  }
  return std::move(*table);
}

size_t Executor::place_of(const Table& table, const Name& name) {
  const auto found =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [&](const database::Column& column) { return column.name == name.text; });
  if (found == table.columns.end()) {
    throw database::SqlError(
        database::SqlState::undefined_column,
        Error(ErrorKind::user, fmt::format("table {} has no column {}", table.name, name.text)),
        name.span);
  }
  return static_cast<size_t>(found - table.columns.begin());
}

void Executor::refuse_reserved(const Name& name) const {
  TESSERA_USER_CHECK(name.text.rfind("tessera_", 0) != 0 && name.text.rfind("sqlite_", 0) != 0,
                     "names of tables that begin with tessera_ or sqlite_ are the database's own");
}

void Executor::run(const CreateTable& statement) {
  refuse_reserved(statement.table);
  if (statement.is_temporary) {
    throw_error(ErrorKind::unsupported, "temporary tables");
  }
  if (database_.catalog().find_table(statement.table.text)) {
    if (!statement.if_not_exists) {
      fail_table_exists(statement.table);
    }
    tag("CREATE TABLE");
    return;
  }
  Table table{statement.table.text, {}};
  std::vector<std::string> parts;
  for (const ColumnDefinition& definition : statement.columns) {
    const std::string& name = definition.name.text;
    TESSERA_USER_CHECK(name != "rowid" && name != "oid" && name != "_rowid_",
                       "a column may not be called {}, as that is the number of a row", name);
    const ColumnType type = at(definition.type.name.span, [&] { return type_of(definition.type); });
    TESSERA_USER_CHECK(database::tensor_of(type) == nullptr ||
                           (!definition.is_primary_key && !definition.is_unique &&
                            !definition.check && !definition.default_value),
                       "column {} of tensors can be NOT NULL, and no key, CHECK or DEFAULT",
                       definition.name.text);
    table.columns.push_back({definition.name.text, type});
    parts.push_back(definition_text(definition, type));
  }
  TESSERA_USER_CHECK(!parts.empty(), "table {} has no columns", statement.table.text);
  for (const TableConstraint& constraint : statement.constraints) {
    parts.push_back(constraint_text(constraint));
  }
  database_.connection().execute(
      fmt::format("CREATE TABLE {} ({}) STRICT", sqlite_name(table.name), fmt::join(parts, ", ")));
  database_.catalog().add_table(table);
  tag("CREATE TABLE");
}

void Executor::store(const Relation& relation, const std::string& name, bool if_not_exists) {
  if (database_.catalog().find_table(name)) {
    if (!if_not_exists) {
      fail_table_exists({name, {}});
    }
    return;
  }
  Table table{name, {}};
  std::vector<std::string> parts;
  std::vector<size_t> places;
  for (const RelationColumn& column : relation.columns) {
    ColumnType type = ScalarType::any;
    if (column.tensor) {
      TensorType tensor{column.tensor->element.dtype, {}};
      tensor.extents.assign(column.tensor->element.shape.begin(),
                            column.tensor->element.shape.end());
      type = tensor;
    } else {
      type = type_in(database_.connection(), relation.table, column);
    }
    places.push_back(places.size());
    table.columns.push_back({column.name, type});
    parts.push_back(sqlite_name(column.name) + " " + sqlite_type(type));
  }
  database_.connection().execute(
      fmt::format("CREATE TABLE {} ({}) STRICT", sqlite_name(name), fmt::join(parts, ", ")));
  database_.catalog().add_table(table);
  append(table, places, relation);
}

void Executor::run(const CreateTableAs& statement) {
  refuse_reserved(statement.table);
  const RelationPtr relation = compiler_->compile_named(statement.query, statement.columns);
  store(*relation, statement.table.text, statement.if_not_exists);
  tag(fmt::format("SELECT {}", database_.connection().integer("SELECT count(*) FROM " +
                                                              sqlite_name(relation->table))));
}

void Executor::run(const DefineVersions& statement) {
  refuse_reserved(statement.table);
  at(statement.table.span, [&] { check_definition(statement, database_.catalog()); });
  database_.catalog().add_definition(statement.table.text, statement.text);
  tag("CREATE TABLE");
}

void Executor::run(const CreateView& statement) {
  refuse_reserved(statement.view);
  const bool is_there = database_.catalog().find_view(statement.view.text).has_value();
  TESSERA_USER_CHECK(
      (!is_there || statement.or_replace) && !database_.catalog().find_table(statement.view.text),
      "there is a table or view {} already", statement.view.text);
  compiler_->check(statement.query);
  if (is_there) {
    database_.catalog().remove_view(statement.view.text);
  }
  const std::string head =
      "CREATE VIEW " + sqlite_name(statement.view.text) +
      (statement.columns.empty() ? "" : " (" + names_of(statement.columns) + ")");
  database_.catalog().add_view(statement.view.text, head + " AS " + statement.text);
  tag("CREATE VIEW");
}

void Executor::run(const CreateIndex& statement) {
  const Table table = stored_table(statement.table);
  std::vector<std::string> keys;
  for (const OrderKey& key : statement.keys) {
    const auto* const column = std::get_if<ColumnReference>(&key.expression->of);
    at(key.expression->span, [&] {
      TESSERA_USER_CHECK(
          column == nullptr ||
              database::tensor_of(table.columns[place_of(table, column->column)].type) == nullptr,
          "column {} of {} has tensors, which an index does not order; index what is a number or a "
          "text",
          column->column.text, table.name);
    });
    keys.push_back(sqlite_text(*key.expression) + (key.is_descending ? " DESC" : ""));
  }
  const std::string name = statement.index
                               ? statement.index->text
                               : fmt::format("{}_{}_idx", statement.table.text, keys.size());
  database_.connection().execute(
      fmt::format("CREATE {}INDEX {}{} ON {} ({})", statement.is_unique ? "UNIQUE " : "",
                  statement.if_not_exists ? "IF NOT EXISTS " : "", sqlite_name(name),
                  sqlite_name(statement.table.text), fmt::join(keys, ", ")));
  tag("CREATE INDEX");
}

void Executor::run(const Drop& statement) {
  database::Catalog& catalog = database_.catalog();
  for (const Name& name : statement.names) {
    bool is_there = false;
    if (statement.kind == Drop::Kind::view && catalog.find_view(name.text)) {
      catalog.remove_view(name.text);
      is_there = true;
    } else if (statement.kind == Drop::Kind::index) {
      database_.connection().execute("DROP INDEX IF EXISTS " + sqlite_name(name.text));
      is_there = true;
    } else if (statement.kind == Drop::Kind::table) {
      std::vector<std::string> tables;
      for (const std::string& table : catalog.tables()) {
        if (table == name.text || table.rfind(name.text + "[", 0) == 0) {
          tables.push_back(table);  // its materialised versions go with it
        }
      }
      for (const std::string& table : tables) {
        database::forget_row_orders(database_.connection(), *catalog.find_table(table));
        database_.connection().execute("DROP TABLE " + sqlite_name(table));
        catalog.remove_table(table);
      }
      is_there = !tables.empty() || !catalog.definitions(name.text).empty();
      catalog.remove_definitions(name.text);
    }
    TESSERA_USER_CHECK(is_there || statement.if_exists, "there is no {} {}",
                       statement.kind == Drop::Kind::view ? "view" : "table", name.text);
  }
  tag(statement.kind == Drop::Kind::view    ? "DROP VIEW"
      : statement.kind == Drop::Kind::index ? "DROP INDEX"
                                            : "DROP TABLE");
}

void Executor::run(const Rename& statement) {
  const Table table = stored_table(statement.table);
  const std::string old = sqlite_name(statement.table.text);
  if (statement.column) {
    database_.connection().execute(fmt::format("ALTER TABLE {} RENAME COLUMN {} TO {}", old,
                                               sqlite_name(statement.column->text),
                                               sqlite_name(statement.name.text)));
    database_.catalog().rename_column(table.name, statement.column->text, statement.name.text);
  } else {
    refuse_reserved(statement.name);
    database_.connection().execute(
        fmt::format("ALTER TABLE {} RENAME TO {}", old, sqlite_name(statement.name.text)));
    database_.catalog().rename_table(table.name, statement.name.text);
  }
  tag("ALTER TABLE");
}

}  // namespace tessera::sql
