#include "cli/sql/describe.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "cli/sql/aligned_table.h"
#include "engine/explain/functions.h"
#include "frontend/sql/parse.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::cli {

namespace {

/// Returns a name as SQL reads it: in lower case unless it is quoted.
std::string name_in(const std::string& text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return text.substr(1, text.size() - 2);
  }
  std::string name = text;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return name;
}

std::string word_of(RelationKind kind) {
  return kind == RelationKind::table  ? "table"
         : kind == RelationKind::view ? "view"
                                      : "table with versions";
}

std::map<std::string, RelationKind> relations_of(database::Database& database) {
  std::map<std::string, RelationKind> relations;
  for (const std::string& name : database.catalog().versioned_tables()) {
    relations[name] = RelationKind::versions;
  }
  for (const std::string& name : database.catalog().views()) {
    relations[name] = RelationKind::view;
  }
  for (const std::string& name : database.catalog().tables()) {
    relations[name] = RelationKind::table;
  }
  return relations;
}

/// Lists "PRIMARY KEY (a, b)" and the other keys and indexes of a table, a line each.
std::string keys_text(database::Connection& connection, const std::string& table) {
  std::string text;
  const auto add = [&](const std::string& key) { text += "    " + key + "\n"; };
  database::Statement primary = connection.prepare(
      "SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_table_info(?) WHERE pk > 0 "
      "ORDER BY pk)");
  primary.bind(0, table);
  if (primary.step() && !primary.is_null(0)) {
    add(fmt::format("PRIMARY KEY ({})", primary.text(0)));
  }
  database::Statement index = connection.prepare(
      "SELECT CASE origin WHEN 'c' THEN name || ' ' ELSE '' END || CASE WHEN \"unique\" THEN "
      "'UNIQUE ' ELSE '' END, (SELECT group_concat(coalesce(name, 'expression'), ', ') FROM "
      "pragma_index_info(list.name)) FROM pragma_index_list(?) AS list WHERE origin <> 'pk' ORDER "
      "BY name");
  index.bind(0, table);
  while (index.step()) {
    add(fmt::format("{}({})", index.text(0), index.text(1)));
  }
  return text.empty() ? "" : "Indexes:\n" + text;
}

std::string table_text(database::Database& database, const std::string& name) {
  const database::Table table = *database.catalog().find_table(name);
  std::map<std::string, std::pair<std::string, std::string>> rest;  // NOT NULL and default
  database::Statement info = database.connection().prepare(
      "SELECT name, CASE WHEN \"notnull\" THEN 'not null' ELSE '' END, coalesce(dflt_value, '') "
      "FROM pragma_table_info(?)");
  info.bind(0, name);
  while (info.step()) {
    rest[info.text(0)] = {info.text(1), info.text(2)};
  }
  AlignedTable shown{
      fmt::format("Table \"{}\"", name), {"Column", "Type", "Nullable", "Default"}, {}};
  for (const database::Column& column : table.columns) {
    shown.rows.push_back({Cell::of(column.name), Cell::of(to_string(column.type)),
                          Cell::of(rest[column.name].first), Cell::of(rest[column.name].second)});
  }
  return aligned_text(shown) + keys_text(database.connection(), name) + "\n";
}

std::string type_text(const sql::ResultColumn& column) {
  if (!column.tensor) {
    return to_string(database::ColumnType(column.scalar.value_or(database::ScalarType::any)));
  }
  database::TensorType type{column.tensor->dtype, {}};
  type.extents.assign(column.tensor->shape.begin(), column.tensor->shape.end());
  return to_string(database::ColumnType(type));
}

/// Describes the columns of a view, without its rows. If it is broken, only its text is shown.
std::string view_text(sql::Executor& executor, const std::string& name) {
  AlignedTable shown{fmt::format("View \"{}\"", name), {"Column", "Type"}, {}};
  const SourceText query{"view",
                         fmt::format("SELECT * FROM {} LIMIT 0", frontend::sql::sqlite_name(name))};
  const std::vector<frontend::sql::Statement> parsed = frontend::sql::parse(query).value();
  std::string error;
  try {
    executor.execute(parsed.front(), {}, [&](const sql::StatementResult& result) {
      for (const sql::ResultColumn& column : result.rows->columns()) {
        shown.rows.push_back({Cell::of(column.name), Cell::of(type_text(column))});
      }
    });
  } catch (const Error& failed) {
    error = fmt::format("It cannot be read: {}\n", failed.message());
  }
  return fmt::format("{}{}Query:\n    {};\n\n", aligned_text(shown), error,
                     *executor.database().catalog().find_view(name));
}

std::string versions_text(database::Database& database, const std::string& name) {
  std::string text = fmt::format("Table \"{}\" with versions\nDefinitions:\n", name);
  for (const std::string& definition : database.catalog().definitions(name)) {
    text += "    " + definition + ";\n";
  }
  std::string kept;
  for (const std::string& table : database.catalog().tables()) {
    if (table.starts_with(name + "[")) {
      kept += "    " + table + "\n";
    }
  }
  return text + (kept.empty() ? "" : "Materialised:\n" + kept) + "\n";
}

}  // namespace

std::string relations_text(database::Database& database, std::optional<RelationKind> kind) {
  AlignedTable table{"List of relations", {"Name", "Type"}, {}};
  for (const auto& [name, of_kind] : relations_of(database)) {
    if (!kind || *kind == of_kind) {
      table.rows.push_back({Cell::of(name), Cell::of(word_of(of_kind))});
    }
  }
  return fmt::format("{}({} row{})\n\n", aligned_text(table), table.rows.size(),
                     table.rows.size() == 1 ? "" : "s");
}

std::string relation_text(sql::Executor& executor, const std::string& text) {
  database::Database& database = executor.database();
  const std::string name = name_in(text);
  const std::map<std::string, RelationKind> relations = relations_of(database);
  const auto found = relations.find(name);
  if (found == relations.end()) {
    std::vector<std::string> names;
    for (const auto& [known, kind] : relations) {
      names.push_back(known);
    }
    const std::string meant = did_you_mean(name, names);
    throw_error(ErrorKind::user, "there is no table or view {}{}{}", name,
                meant.empty() ? "" : "; ", meant);
  }
  switch (found->second) {
    case RelationKind::table:
      return table_text(database, name);
    case RelationKind::view:
      return view_text(executor, name);
    case RelationKind::versions:
      return versions_text(database, name);
  }
  return "";
}

std::string functions_text(const sql::Executor& executor) {
  AlignedTable table{"Functions of tensors", {"Function", "Gives"}, {}};
  for (const sql::TensorFunction* function : executor.tensor_functions().all()) {
    table.rows.push_back({Cell::of(fmt::format("{}({})", function->name, function->arguments)),
                          Cell::of(function->summary)});
  }
  table.rows.push_back({Cell::of("einsum('ij,jk->ik', a, b, …)"),
                        Cell::of("the sum of products of an equation in numpy's notation")});
  return aligned_text(table) +
         "Every scalar function of the language is one too, element by element, and every "
         "aggregate "
         "merges\ntensors: `tessera functions` lists them, \\df NAME describes one.\n\n";
}

std::string function_text(const sql::Executor& executor, const std::string& text) {
  const std::string name = name_in(text);
  if (const sql::TensorFunction* const function = executor.tensor_functions().find(name)) {
    return fmt::format("{}({})\n    {}\n\n", name, function->arguments, function->summary);
  }
  return engine::functions_text(name) + "\n";
}

}  // namespace tessera::cli
