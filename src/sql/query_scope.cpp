#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sql/rewrite.h"
#include "sql/query.h"
#include "sql/quoted_literals.h"
#include "sql/recursion.h"
#include "sql/scalar_types.h"
#include "sql/star_columns.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// Queries whose types are known; more are of versions.
constexpr size_t kMostTypes = 1024;

void rename(std::vector<RelationColumn>& columns, const std::vector<Name>& names) {
  for (size_t column = 0; column < columns.size() && column < names.size(); ++column) {
    columns[column].name = columns[column].key = names[column].text;
  }
}

/// The columns of a function in FROM; none where SQLite alone knows them.
std::vector<RelationColumn> columns_of_function(const FromItem& item) {
  const auto& function = std::get<FunctionReference>(item.of);
  const auto* const call = std::get_if<Call>(&function.call->of);
  if (call == nullptr || call->function.text != "generate_series") {
    return {};
  }
  return {RelationColumn{item.column_aliases.empty() ? *name_in_scope(item)
                                                     : item.column_aliases.front().text}};
}

/// Whether a query reads none of these tables.
bool reads_none_of(const SelectPtr& query, const std::set<std::string>& tables) {
  bool reads = false;
  for_each_table(query, [&](const TableReference& read, SourceSpan) {
    reads = reads || (read.version.empty() && tables.count(read.table.text) != 0);
  });
  return !reads;
}

}  // namespace

/// What the tables of FROM have: of those that are queries the types of their scalars, where these
/// are known, and no tensors, which are looked for in these queries themselves.
Scope QueryCompiler::scope_of(const Select& query) {
  Scope scope;
  if (!scopes_around_.empty()) {
    scope.stand_in(*scopes_around_.back());
  }
  Rewrites rewrites;
  rewrites.from = [&](const FromItemPtr& item) {
    if (const auto* table = std::get_if<TableReference>(&item->of)) {
      RelationPtr relation = find_table(*table, item->span);
      if (!item->column_aliases.empty()) {
        Relation renamed = *relation;
        rename(renamed.columns, item->column_aliases);
        relation = std::make_shared<const Relation>(std::move(renamed));
      }
      scope.add(item->alias ? item->alias->text : table->table.text, std::move(relation));
    }
    if (std::holds_alternative<FunctionReference>(item->of) && name_in_scope(*item)) {
      scope.add(*name_in_scope(*item), std::make_shared<const Relation>(Relation{
                                           *name_in_scope(*item), columns_of_function(*item)}));
    }
    const auto* const within = std::get_if<QueryReference>(&item->of);
    if (within != nullptr) {
      const std::string alias = item->alias ? item->alias->text : "";  // "": named by nobody
      Relation relation{alias, scalars_of(*within->query)};
      rename(relation.columns, item->column_aliases);
      scope.add(alias, std::make_shared<const Relation>(std::move(relation)));
    }
    return FromItemPtr();
  };
  for (const FromItemPtr& item : query.from) {
    rewrite(item, rewrites);
  }
  return scope;
}

std::vector<RelationColumn> QueryCompiler::scalars_of(const Select& query) {
  if (query.operation != Select::SetOperation::none || !query.values.empty()) {
    std::vector<RelationColumn> columns;
    for (const WrittenColumn& written : written_columns(query)) {
      RelationColumn& column = columns.emplace_back(RelationColumn{written.name});
      column.scalar = common_type(written.values);
      const bool has_quoted = std::any_of(
          written.values.begin(), written.values.end(),
          [](const TypedValue& value) { return value.expression && is_quoted(value.expression); });
      column.may_be_nan =
          written.may_be_nan || (has_quoted && column.scalar == database::ScalarType::real);
    }
    return columns;
  }
  common_.push_back(defined_by(query));
  const Scope scope = scope_of(query);
  common_.pop_back();
  std::vector<RelationColumn> columns;
  for (const Target& target : query.targets) {
    const auto* const star = std::get_if<Star>(&target.expression->of);
    if (star != nullptr && !knows_columns(query.from, scope)) {
      return {};
    }
    const std::vector<Target> meant = star == nullptr ? std::vector<Target>{target}
                                      : star->table   ? scope.columns_of(*star->table)
                                                      : columns_of_star(query.from, scope);
    for (const Target& one : meant) {
      RelationColumn& column = columns.emplace_back(RelationColumn{name_of(one)});
      column.scalar = scalar_type_of(
          one.expression, scope, [this](const SelectPtr& value) { return type_of_value(value); });
      column.may_be_nan = may_be_nan(one.expression, [&](const ExpressionPtr& leaf) {
        const auto* const value = std::get_if<ScalarQuery>(&leaf->of);
        return value == nullptr ? scope.may_be_nan(leaf) : gives_nan(*value->query);
      });
    }
  }
  return columns;
}

bool QueryCompiler::gives_nan(const Select& query) {
  const std::vector<RelationColumn> columns = scalars_of(query);
  return !columns.empty() && columns.front().may_be_nan;
}

std::optional<database::ScalarType> QueryCompiler::type_of_value(const SelectPtr& query) {
  const auto known = types_of_values_.find(query);
  if (known != types_of_values_.end()) {
    return known->second;
  }
  const std::vector<RelationColumn> columns = scalars_of(*query);
  if (types_of_values_.size() == kMostTypes) {
    types_of_values_.clear();
  }
  return types_of_values_[query] = columns.empty() ? std::nullopt : columns.front().scalar;
}

void QueryCompiler::set_types(std::vector<RelationColumn>& columns, const Select& query) {
  const std::vector<RelationColumn> scalars = scalars_of(query);
  for (size_t column = 0; scalars.size() == columns.size() && column < scalars.size(); ++column) {
    columns[column].scalar = scalars[column].scalar;
    columns[column].may_be_nan = scalars[column].may_be_nan;
  }
}

RelationPtr QueryCompiler::with_types(const RelationPtr& relation, const Select& query) {
  Relation typed = *relation;
  set_types(typed.columns, query);
  return std::make_shared<const Relation>(std::move(typed));
}

RelationPtr QueryCompiler::with_types_of_scalars(const RelationPtr& relation, const Select& query) {
  const std::vector<RelationColumn> scalars = scalars_of(query);
  Relation typed = *relation;
  for (size_t place = 0; place < std::min(scalars.size(), typed.columns.size()); ++place) {
    RelationColumn& column = typed.columns[place];
    if (!column.tensor && !column.scalar) {
      column.scalar = scalars[place].scalar;
    }
    column.may_be_nan = column.may_be_nan || scalars[place].may_be_nan;
  }
  return std::make_shared<const Relation>(std::move(typed));
}

QueryCompiler::CommonTables QueryCompiler::defined_by(const Select& query) {
  CommonTables defined;
  std::set<std::string> unknown;
  for (const CommonTable& table : query.with) {
    if (query.is_recursive) {
      unknown.insert(table.name.text);
    }
  }
  for (const CommonTable& table : query.with) {
    Relation relation{table.name.text, {}};
    // One that reads itself has the columns of its first part; of which type is sure of dates
    // alone.
    const bool recurs = query.is_recursive && reads_itself(table);
    const SelectPtr& first = recurs && table.query->left ? table.query->left : table.query;
    if (reads_none_of(first, unknown)) {
      common_.push_back(defined);
      relation.columns = scalars_of(*first);
      common_.pop_back();
      rename(relation.columns, table.columns);
    }
    for (RelationColumn& column : relation.columns) {
      const bool is_sure = !recurs || column.scalar == database::ScalarType::date;
      column.scalar = is_sure ? column.scalar : std::nullopt;
    }
    unknown.erase(table.name.text);
    defined[table.name.text] = std::make_shared<const Relation>(std::move(relation));
  }
  return defined;
}

}  // namespace tessera::sql
