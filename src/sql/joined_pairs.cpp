#include "sql/joined_pairs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/stages.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kRow = "rowid";

/// Tables with their row numbers as a column, which SQLite does not have of joins in parentheses
/// else.
FromItemPtr numbered(const FromItemPtr& item, std::vector<std::string>& aliases) {
  FromItem other = *item;
  if (const auto* const join = std::get_if<JoinReference>(&item->of)) {
    JoinReference both = *join;
    both.left = numbered(join->left, aliases);
    both.right = numbered(join->right, aliases);
    other.of = std::move(both);
  } else {
    const auto* const table = std::get_if<TableReference>(&item->of);
    const std::string alias = item->alias ? item->alias->text : table->table.text;
    aliases.push_back(alias);
    if (table == nullptr) {  // it has them for a join within this one
      return item;
    }
    Select all;
    all.targets = {
        {make_expression(ColumnReference{std::nullopt, Name{"rowid", {}}}), Name{kRow, {}}},
        {make_expression(Star{}), std::nullopt}};
    all.from.push_back(std::make_shared<const FromItem>(FromItem{*table, std::nullopt, {}, {}}));
    other.of = QueryReference{std::make_shared<const Select>(std::move(all))};
    other.alias = Name{alias, {}};
  }
  return std::make_shared<const FromItem>(std::move(other));
}

ExpressionPtr number_of_row(const std::string& alias) {
  return make_expression(ColumnReference{Name{alias, {}}, Name{kRow, {}}});
}

/// The numbers of the rows that meet, a column for each table.
RelationPtr pairs_of(const JoinReference& join, const std::vector<std::string>& aliases,
                     const Scope& scope, QueryCompiler& compiler) {
  BoundSelect pairs;
  for (const Scope::Entry& entry : scope.entries()) {
    if (std::find(aliases.begin(), aliases.end(), entry.alias) != aliases.end()) {
      pairs.scope.add(entry.alias, entry.relation);
    }
  }
  pairs.scope.add_queries_of(scope);
  pairs.from = {join.left, join.right};
  add_conjuncts(join.condition, pairs.conjuncts);
  for (size_t place = 0; place < aliases.size(); ++place) {
    pairs.targets.push_back({number_of_row(aliases[place]), Name{fmt::format("row{}", place), {}}});
  }
  RelationPtr rows = compile_bound(std::move(pairs), compiler);
  std::string columns;
  for (const RelationColumn& column : rows->columns) {
    columns += (columns.empty() ? "" : ", ") + column.key;
  }
  compiler.connection().execute(fmt::format("CREATE INDEX temp.{} ON {}({})",
                                            sqlite_name(rows->table + "_by_row"),
                                            sqlite_name(rows->table), columns));
  return rows;
}

}  // namespace

JoinReference joined_by_pairs(JoinReference join, Scope& scope, QueryCompiler& compiler) {
  std::vector<std::string> aliases;
  join.left = numbered(join.left, aliases);
  join.right = numbered(join.right, aliases);
  const RelationPtr rows = pairs_of(join, aliases, scope, compiler);
  Select query;
  const auto column = [&](size_t place) {
    return make_expression(
        ColumnReference{Name{rows->table, {}}, Name{rows->columns[place].key, {}}});
  };
  // Of a single table on the right SQLite is told which rows meet, and need not look at each.
  const bool is_table = !std::holds_alternative<JoinReference>(join.right->of);
  const size_t num_equal = is_table ? aliases.size() - 1 : aliases.size();
  std::vector<ExpressionPtr> equal;
  for (size_t place = 0; place < num_equal; ++place) {
    // With its sign a row number has no type, as the columns of the pairs have none: SQLite then
    // takes their index.
    const ExpressionPtr number = make_expression(Operation{"+", {number_of_row(aliases[place])}});
    equal.push_back(make_expression(Test{Test::Kind::distinct, true, column(place), number}));
  }
  query.where = make_expression(Logical{Logical::Kind::all, std::move(equal)});
  query.targets.push_back({column(aliases.size() - 1), std::nullopt});
  query.from.push_back(std::make_shared<const FromItem>(
      FromItem{TableReference{Name{rows->table, {}}, {}, false}, std::nullopt, {}, {}}));
  auto made = std::make_shared<const Select>(std::move(query));
  scope.add_query(made, rows);
  join.condition = is_table ? make_expression(In{false, number_of_row(aliases.back()), {}, made})
                            : make_expression(Exists{made});
  return join;
}

}  // namespace tessera::sql
