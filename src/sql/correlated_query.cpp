#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "database/sql_error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/query.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kOuter = "tessera_outer";

/// The entry of the scope around that a column of a query within is of; null for its own columns.
const Scope::Entry* outer_entry(const ColumnReference& column, const Select& query,
                                const Scope& own, const Scope& around) {
  const auto entry_with = [&](const Scope& scope, const auto& holds) {
    const auto found = std::find_if(scope.entries().begin(), scope.entries().end(), holds);
    return found == scope.entries().end() ? nullptr : &*found;
  };
  if (column.table) {
    const auto is_called = [&](const Scope::Entry& entry) {
      return entry.alias == column.table->text;
    };
    return entry_with(own, is_called) != nullptr ? nullptr : entry_with(around, is_called);
  }
  // A query in FROM may have any columns.
  const bool is_known = std::all_of(query.from.begin(), query.from.end(), [](const auto& item) {
    return std::holds_alternative<TableReference>(item->of);
  });
  const auto has_column = [&](const Scope::Entry& entry) {
    return std::any_of(entry.relation->columns.begin(), entry.relation->columns.end(),
                       [&](const RelationColumn& one) { return one.key == column.column.text; });
  };
  return !is_known || entry_with(own, has_column) != nullptr ? nullptr
                                                             : entry_with(around, has_column);
}

ExpressionPtr column_at(const std::string& table, const std::string& column) {
  return make_expression(ColumnReference{Name{table, {}}, Name{column, {}}});
}

}  // namespace

OuterColumns QueryCompiler::outer_columns(const SelectPtr& query, const Scope& around) {
  common_.push_back(defined_by(*query));
  const Scope own = scope_of(*query);
  common_.pop_back();
  OuterColumns outer;
  Rewrites rewrites;
  rewrites.expression = [&](const ExpressionPtr& part) -> ExpressionPtr {
    const auto* const column = std::get_if<ColumnReference>(&part->of);
    const Scope::Entry* const entry =
        column == nullptr ? nullptr : outer_entry(*column, *query, own, around);
    if (entry == nullptr) {
      return nullptr;
    }
    const ExpressionPtr meant = column_at(entry->alias, column->column.text);
    const auto [place, is_new] = outer.names.emplace(std::pair(entry->alias, column->column.text),
                                                     fmt::format("o{}", outer.columns.size() + 1));
    if (is_new) {
      outer.columns.push_back(meant);
    }
    return std::make_shared<const Expression>(
        Expression{column_at(kOuter, place->second)->of, part->span});
  };
  rewrites.from = [](const FromItemPtr& item) { return item; };
  outer.query = rewrite(query, rewrites);
  return outer;
}

/// The different values that the query around may ask with: keys of them, `k1`, which of a tensor
/// are its row number, and behind these the values, `o1`.
RelationPtr QueryCompiler::outer_values(const OuterColumns& outer, const Scope& around) {
  std::vector<std::string> keys;
  std::vector<std::string> texts;
  std::map<std::string, std::string> tables;
  std::vector<RelationColumn> columns;
  std::vector<RelationColumn> values;
  for (const ExpressionPtr& column : outer.columns) {
    const auto& reference = std::get<ColumnReference>(column->of);
    for (const Scope::Entry& entry : around.entries()) {
      if (entry.alias == reference.table->text) {
        tables[entry.alias] =
            sqlite_name(entry.relation->table) + " AS " + sqlite_name(entry.alias);
      }
    }
    const std::string number = std::to_string(columns.size() + 1);
    RelationColumn& key = columns.emplace_back(RelationColumn{"k" + number});
    key.scalar = around.find_scalar(reference);
    keys.push_back(sqlite_text(*column) + " AS k" + number);
    RelationColumn value{"o" + number};
    value.scalar = key.scalar;
    if (const RelationColumn* const tensor = around.find_tensor(reference)) {
      value.tensor = tensor->tensor;
    }
    values.push_back(std::move(value));
    texts.push_back(fmt::format("{} AS o{}", sqlite_text(*column), number));
  }
  columns.insert(columns.end(), values.begin(), values.end());
  texts.insert(texts.begin(), keys.begin(), keys.end());
  std::vector<std::string> from;
  for (const auto& [alias, text] : tables) {
    from.push_back(text);
  }
  return make_relation(
      fmt::format("SELECT DISTINCT {} FROM {}", fmt::join(texts, ", "), fmt::join(from, ", ")),
      std::move(columns));
}

/// The query for all values that the one around asks with: one that reads them as a table, and says
/// beside each row of its own which they are.
SelectPtr QueryCompiler::for_all_values(const OuterColumns& outer, const RelationPtr& values) {
  if (outer.query->limit || outer.query->offset ||
      outer.query->operation != Select::SetOperation::none || !outer.query->values.empty()) {
    throw_error(ErrorKind::unsupported,
                "LIMIT and set operations in a query about tensors that names columns of the one "
                "around");
  }
  Select query = *outer.query;
  FromItem item{TableReference{Name{values->table, {}}, {}, false}, Name{kOuter, {}}, {}, {}};
  query.from.push_back(std::make_shared<const FromItem>(std::move(item)));
  query.order.clear();
  bool has_aggregates = query.having != nullptr || !query.group_by.empty();
  for (const Target& target : query.targets) {
    for_each(target.expression, [&](const ExpressionPtr& part) {
      const auto* const call = std::get_if<Call>(&part->of);
      has_aggregates = has_aggregates || (call != nullptr && !call->over &&
                                          is_aggregate(call->function.text, vocabulary_) &&
                                          call->arguments.size() == 1);
      return true;
    });
  }
  std::vector<Target> targets;
  for (size_t column = 0; column < outer.columns.size(); ++column) {
    const std::string& name = values->columns[column].name;
    targets.push_back({column_at(kOuter, name), Name{name, {}}});
    if (has_aggregates) {
      query.group_by.push_back(targets.back().expression);
    }
  }
  targets.insert(targets.end(), query.targets.begin(), query.targets.end());
  query.targets = std::move(targets);
  return std::make_shared<const Select>(std::move(query));
}

SelectPtr QueryCompiler::prepared_correlated(const OuterColumns& outer, bool is_one_row,
                                             Scope& scope) {
  const RelationPtr values = outer_values(outer, scope);
  common_.push_back({{values->table, values}});
  RelationPtr rows;
  try {
    rows = compile(for_all_values(outer, values));
  } catch (...) {
    common_.pop_back();
    throw;
  }
  common_.pop_back();
  const size_t num_values = outer.columns.size();
  Select read;
  std::vector<ExpressionPtr> equal;
  std::vector<std::string> names;
  for (size_t column = 0; column < rows->columns.size(); ++column) {
    const ExpressionPtr own = column_at(rows->table, rows->columns[column].key);
    if (column < num_values) {
      equal.push_back(
          make_expression(Test{Test::Kind::distinct, true, own, outer.columns[column]}));
      names.push_back(sqlite_name(rows->columns[column].key));
    } else {
      read.targets.push_back({own, std::nullopt});
    }
  }
  if (is_one_row &&
      connection().integer(fmt::format("SELECT count(*) FROM (SELECT 1 FROM {} GROUP BY {} HAVING "
                                       "count(*) > 1)",
                                       sqlite_name(rows->table), fmt::join(names, ", "))) > 0) {
    throw database::SqlError(
        database::SqlState::cardinality_violation,
        Error(ErrorKind::user, "a query that stands for a value gives several rows"));
  }
  read.where = make_expression(Logical{Logical::Kind::all, std::move(equal)});
  FromItem item{TableReference{Name{rows->table, {}}, {}, false}, std::nullopt, {}, {}};
  read.from.push_back(std::make_shared<const FromItem>(std::move(item)));
  auto made = std::make_shared<const Select>(std::move(read));
  Relation results = *rows;
  results.columns.erase(results.columns.begin(),
                        results.columns.begin() + static_cast<std::ptrdiff_t>(num_values));
  scope.add_query(made, std::make_shared<const Relation>(std::move(results)));
  return made;
}

}  // namespace tessera::sql
