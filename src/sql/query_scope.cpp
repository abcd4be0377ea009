#include <utility>

#include "frontend/sql/rewrite.h"
#include "sql/query.h"
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

bool has_function(const Select& query) {
  bool found = false;
  Rewrites rewrites;
  rewrites.from = [&](const FromItemPtr& item) {
    found = found || std::holds_alternative<FunctionReference>(item->of);
    return FromItemPtr();
  };
  for (const FromItemPtr& item : query.from) {
    rewrite(item, rewrites);
  }
  return found;
}

}  // namespace

/// What the tables of FROM have: of those that are queries the types of their scalars, where these
/// are known, and no tensors, which are looked for in these queries themselves.
Scope QueryCompiler::scope_of(const Select& query) {
  Scope scope;
  Rewrites rewrites;
  rewrites.from = [&](const FromItemPtr& item) {
    if (const auto* table = std::get_if<TableReference>(&item->of)) {
      scope.add(item->alias ? item->alias->text : table->table.text,
                find_table(*table, item->span));
    }
    const auto* const within = std::get_if<QueryReference>(&item->of);
    if (within != nullptr && item->alias) {
      Relation relation{item->alias->text, scalars_of(*within->query)};
      rename(relation.columns, item->column_aliases);
      scope.add(item->alias->text, std::make_shared<const Relation>(std::move(relation)));
    }
    return FromItemPtr();
  };
  for (const FromItemPtr& item : query.from) {
    rewrite(item, rewrites);
  }
  return scope;
}

std::vector<RelationColumn> QueryCompiler::scalars_of(const Select& query) {
  if (query.operation != Select::SetOperation::none) {
    std::vector<RelationColumn> columns = scalars_of(*query.left);
    const std::vector<RelationColumn> others = scalars_of(*query.right);
    for (size_t column = 0; column < columns.size(); ++column) {
      const bool is_same =
          column < others.size() && others[column].scalar == columns[column].scalar;
      columns[column].scalar = is_same ? columns[column].scalar : std::nullopt;
    }
    return columns;
  }
  common_.push_back(defined_by(query));
  const Scope scope = scope_of(query);
  common_.pop_back();
  std::vector<RelationColumn> columns;
  for (const Target& target : query.targets) {
    const auto* const star = std::get_if<Star>(&target.expression->of);
    if (star != nullptr && has_function(query)) {
      return {};  // whose columns are not known here
    }
    const std::vector<Target> meant = star == nullptr ? std::vector<Target>{target}
                                      : star->table   ? scope.columns_of(*star->table)
                                                      : columns_of_star(query.from, scope);
    for (const Target& one : meant) {
      RelationColumn& column = columns.emplace_back(RelationColumn{name_of(one)});
      column.scalar = scalar_type_of(
          one.expression, scope, [this](const SelectPtr& value) { return type_of_value(value); });
    }
  }
  return columns;
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

RelationPtr QueryCompiler::with_types(const RelationPtr& relation, const Select& query) {
  const std::vector<RelationColumn> scalars = scalars_of(query);
  Relation typed = *relation;
  for (size_t column = 0; scalars.size() == typed.columns.size() && column < scalars.size();
       ++column) {
    typed.columns[column].scalar = scalars[column].scalar;
  }
  return std::make_shared<const Relation>(std::move(typed));
}

QueryCompiler::CommonTables QueryCompiler::defined_by(const Select& query) {
  CommonTables defined;
  for (const CommonTable& table : query.with) {
    Relation relation{table.name.text, {}};
    if (!query.is_recursive) {
      common_.push_back(defined);
      relation.columns = scalars_of(*table.query);
      common_.pop_back();
      rename(relation.columns, table.columns);
    }
    defined[table.name.text] = std::make_shared<const Relation>(std::move(relation));
  }
  return defined;
}

}  // namespace tessera::sql
