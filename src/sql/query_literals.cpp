#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "frontend/sql/rewrite.h"
#include "sql/literal_types.h"
#include "sql/query.h"
#include "sql/quoted_literals.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

using Types = std::vector<std::optional<database::ScalarType>>;

/// True for a set operation whose queries give the rows that it combines.
bool combines(const Select& query) {
  return query.operation != Select::SetOperation::none;
}

std::string_view word_for(const Select& query) {
  switch (query.operation) {
    case Select::SetOperation::none:
      return "VALUES";
    case Select::SetOperation::union_:
      return "UNION";
    case Select::SetOperation::intersect:
      return "INTERSECT";
    case Select::SetOperation::except:
      return "EXCEPT";
  }
  return "";
}

void take_type(ExpressionPtr& value, std::optional<database::ScalarType> type) {
  if (ExpressionPtr literal = type ? literal_of_type(value, *type) : nullptr) {
    value = std::move(literal);
  }
}

/// The query with its quoted literals as values of the types of its columns.
SelectPtr of_types(const Select& query, const Types& types) {
  Select other = query;
  if (combines(query)) {
    other.left = of_types(*query.left, types);
    other.right = of_types(*query.right, types);
  }
  for (std::vector<ExpressionPtr>& row : other.values) {
    for (size_t column = 0; column < row.size() && column < types.size(); ++column) {
      take_type(row[column], types[column]);
    }
  }
  for (size_t column = 0; column < other.targets.size() && column < types.size(); ++column) {
    Target& target = other.targets[column];
    if (std::holds_alternative<Star>(target.expression->of)) {
      break;  // whose columns move those behind it
    }
    const Name name{name_of(target), target.alias ? target.alias->span : SourceSpan{}};
    if (is_quoted(target.expression)) {
      target.alias = name;  // it is not named for its cast
    }
    take_type(target.expression, types[column]);
  }
  return std::make_shared<const Select>(std::move(other));
}

/// The names of the rows of VALUES, as SQLite has them.
std::string name_of_value(size_t column) {
  return "column" + std::to_string(column + 1);
}

bool has_star(const Select& query) {
  return std::any_of(query.targets.begin(), query.targets.end(), [](const Target& target) {
    return std::holds_alternative<Star>(target.expression->of);
  });
}

}  // namespace

bool QueryCompiler::add_written_values(const Select& query, std::vector<WrittenColumn>& columns) {
  if (combines(query)) {
    return add_written_values(*query.left, columns) && add_written_values(*query.right, columns);
  }
  const auto add = [&](size_t column, const std::string& name, TypedValue value, bool may_be_nan) {
    if (column == columns.size()) {
      columns.push_back({name});
    }
    columns[column].values.push_back(std::move(value));
    columns[column].may_be_nan = columns[column].may_be_nan || may_be_nan;
  };
  const TypeOfValue type_of_value = [this](const SelectPtr& value) {
    return this->type_of_value(value);
  };
  for (const std::vector<ExpressionPtr>& row : query.values) {
    for (size_t column = 0; column < row.size(); ++column) {
      const auto type = scalar_type_of(row[column], Scope(), type_of_value);
      add(column, name_of_value(column), {row[column], type},
          may_be_nan(row[column], [](const ExpressionPtr&) { return false; }));
    }
  }
  if (!query.values.empty()) {
    return true;
  }
  const std::vector<RelationColumn> scalars = scalars_of(query);
  for (size_t column = 0; column < scalars.size(); ++column) {
    add(column, scalars[column].name,
        {has_star(query) ? nullptr : query.targets.at(column).expression, scalars[column].scalar},
        scalars[column].may_be_nan);
  }
  return !scalars.empty();
}

std::vector<QueryCompiler::WrittenColumn> QueryCompiler::written_columns(const Select& query) {
  common_.push_back(defined_by(query));
  std::vector<WrittenColumn> columns;
  const bool are_known = add_written_values(query, columns);
  common_.pop_back();
  return are_known ? columns : std::vector<WrittenColumn>();
}

SelectPtr QueryCompiler::with_column_types(const SelectPtr& query) {
  if (!combines(*query) && query->values.size() < 2) {
    return query;
  }
  Types types;
  for (const WrittenColumn& column : written_columns(*query)) {
    types.push_back(met_type(column.values));
    if (types.back() == database::ScalarType::date) {
      check_dates(column.values, fmt::format("column {} of {}", types.size(), word_for(*query)));
    }
  }
  return of_types(*query, types);
}

}  // namespace tessera::sql
