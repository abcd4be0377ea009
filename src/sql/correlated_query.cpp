#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "database/sql_error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/bound_select.h"
#include "sql/query.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kOuter = "tessera_outer";
constexpr const char* kRows = "tessera_rows";    // of a query within, for all values
constexpr const char* kPlace = "tessera_place";  // of a row among those of the same values

ExpressionPtr column_at(const std::string& table, const std::string& column) {
  return make_expression(ColumnReference{Name{table, {}}, Name{column, {}}});
}

bool has_groups(const Select& query, const Vocabulary& vocabulary) {
  bool found = query.having != nullptr || !query.group_by.empty();
  for (const Target& target : query.targets) {
    for_each(target.expression, [&](const ExpressionPtr& part) {
      const auto* const call = std::get_if<Call>(&part->of);
      found =
          found || (call != nullptr && !call->over &&
                    is_aggregate(call->function.text, vocabulary) && call->arguments.size() == 1);
      return true;
    });
  }
  return found;
}

SelectPtr all_rows_of(Select query, const std::string& alias) {
  Select all;
  all.targets.push_back({make_expression(Star{}), std::nullopt});
  all.from.push_back(std::make_shared<const FromItem>(FromItem{
      QueryReference{std::make_shared<const Select>(std::move(query))}, Name{alias, {}}, {}, {}}));
  return std::make_shared<const Select>(std::move(all));
}

/// What ORDER BY says of DISTINCT rows, or of a set operation: one of its results.
ExpressionPtr result_column(const ExpressionPtr& expression, const Select& query) {
  const Select* first = &query;
  while (first->operation != Select::SetOperation::none) {
    first = first->left.get();
  }
  const ExpressionPtr meant = meant_target(expression, first->targets);
  for (const Target& target : first->targets) {
    if (target.expression == meant || name_of(target) == name_of({expression, std::nullopt})) {
      return std::make_shared<const Expression>(
          Expression{column_at(kRows, name_of(target))->of, expression->span});
    }
  }
  return expression;
}

/// LIMIT and OFFSET of rows that are asked for with values, which these keys tell apart: each row
/// gets its place among those of its keys. `query` has what was said of order and limit.
SelectPtr first_rows(Select made, const Select& query, const std::vector<Name>& keys) {
  const bool is_plain = query.operation == Select::SetOperation::none && !query.is_distinct;
  Window window;
  for (OrderKey key : query.order) {
    const ExpressionPtr target = meant_target(key.expression, query.targets);
    key.expression = !is_plain ? result_column(key.expression, query)
                     : target  ? target
                               : key.expression;
    window.order.push_back(std::move(key));
  }
  if (!is_plain) {
    made = *all_rows_of(std::move(made), kRows);
  }
  for (const Name& key : keys) {
    window.partition.push_back(column_at(is_plain ? kOuter : kRows, key.text));
  }
  Call number{Name{"row_number", {}}};
  number.over = std::make_shared<const Window>(std::move(window));
  made.targets.push_back({make_expression(std::move(number)), Name{kPlace, {}}});
  Select chosen = *all_rows_of(std::move(made), kRows);
  const ExpressionPtr place = column_at(kRows, kPlace);
  const ExpressionPtr none = make_expression(NumberLiteral{"0", true});
  const ExpressionPtr offset = query.offset ? query.offset : none;
  std::vector<ExpressionPtr> conditions{make_expression(Operation{">", {place, offset}})};
  if (query.limit) {
    const ExpressionPtr last = make_expression(Operation{"+", {offset, query.limit}});
    conditions.push_back(
        make_expression(Logical{Logical::Kind::any,
                                {make_expression(Operation{"<", {query.limit, none}}),
                                 make_expression(Operation{"<=", {place, last}})}}));
  }
  chosen.where = make_expression(Logical{Logical::Kind::all, std::move(conditions)});
  return std::make_shared<const Select>(std::move(chosen));
}

}  // namespace

OuterColumns QueryCompiler::outer_columns(const SelectPtr& query, const Scope& around) {
  OuterColumns outer;
  outer.query = with_outer_values(query, around, outer);
  return outer;
}

SelectPtr QueryCompiler::with_outer_values(const SelectPtr& query, const Scope& around,
                                           OuterColumns& outer) {
  return rewritten_within(query, around, [&](const NamesWithin& names) {
    Rewrites rewrites;
    rewrites.expression = [this, names, &outer](const ExpressionPtr& part) -> ExpressionPtr {
      const auto* const column = std::get_if<ColumnReference>(&part->of);
      const Scope::Entry* const entry = column == nullptr ? nullptr : names.outer_entry(*column);
      if (entry == nullptr) {
        return nullptr;
      }
      const ExpressionPtr meant = column_at(entry->alias, column->column.text);
      const auto [place, is_new] =
          outer.names.emplace(std::pair(entry->alias, column->column.text),
                              fmt::format("o{}", outer.columns.size() + 1));
      if (is_new) {
        outer.columns.push_back(meant);
      }
      return std::make_shared<const Expression>(
          Expression{column_at(kOuter, place->second)->of, part->span});
    };
    rewrites.from = [this, names, &outer](const FromItemPtr& item) {
      outer.are_in_from = outer.are_in_from || names_outer_columns(item, names.around);
      return item;
    };
    return rewrites;
  });
}

/// Whether a query in FROM names columns of the query around the one that it is in.
bool QueryCompiler::names_outer_columns(const FromItemPtr& item, const Scope& around) {
  if (const auto* const join = std::get_if<JoinReference>(&item->of)) {
    return names_outer_columns(join->left, around) || names_outer_columns(join->right, around);
  }
  const auto* const within = std::get_if<QueryReference>(&item->of);
  if (within == nullptr) {
    return false;
  }
  OuterColumns found;
  with_outer_values(within->query, around, found);
  return found.are_in_from || !found.columns.empty();
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
/// beside each row of its own, before all else, which they are.
SelectPtr QueryCompiler::for_all_values(const SelectPtr& query, const Relation& values,
                                        size_t num_values) {
  Select made = *query;
  made.limit = made.offset = nullptr;
  made.order.clear();
  std::vector<Name> keys;
  for (size_t column = 0; column < num_values; ++column) {
    keys.push_back({values.columns[column].name, {}});
  }
  if (query->operation != Select::SetOperation::none) {
    made.left = for_all_values(query->left, values, num_values);
    made.right = for_all_values(query->right, values, num_values);
  } else {
    made.from.push_back(std::make_shared<const FromItem>(
        FromItem{TableReference{Name{values.table, {}}, {}, false}, Name{kOuter, {}}, {}, {}}));
    std::vector<Target> targets;
    const bool is_grouped = has_groups(*query, vocabulary_);
    for (const Name& key : keys) {
      targets.push_back({column_at(kOuter, key.text), key});
      if (is_grouped) {
        made.group_by.push_back(targets.back().expression);
      }
    }
    made.targets.insert(made.targets.begin(), targets.begin(), targets.end());
  }
  return query->limit || query->offset ? first_rows(std::move(made), *query, keys)
                                       : std::make_shared<const Select>(std::move(made));
}

SelectPtr QueryCompiler::prepared_correlated(const OuterColumns& outer, bool is_one_row,
                                             Scope& scope) {
  const RelationPtr values = outer_values(outer, scope);
  common_.push_back({{values->table, values}});
  RelationPtr rows;
  try {
    rows = compile(for_all_values(outer.query, *values, outer.columns.size()));
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
    } else if (rows->columns[column].name != kPlace) {
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
