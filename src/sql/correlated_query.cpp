// Long because the query for all values and the one for those without rows are said in the same
// words.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "database/sql_error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/bound_select.h"
#include "sql/partial_functions.h"
#include "sql/query.h"
#include "sql/stages.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr int64_t kMostWithoutIndex = 16;        // rows, which are read through as quickly
constexpr const char* kKey = "tessera_key";      // of a value that is asked with
constexpr const char* kValue = "tessera_value";  // itself
constexpr const char* kRows = "tessera_rows";    // of a query within, for all values
constexpr const char* kPlace = "tessera_place";  // of a row among those of the same values

ExpressionPtr column_at(const std::string& table, const std::string& column) {
  return make_expression(ColumnReference{Name{table, {}}, Name{column, {}}});
}

bool has_groups(const Select& query, const Vocabulary& vocabulary) {
  bool found = query.having != nullptr || !query.group_by.empty();
  for (const Target& target : query.targets) {
    for_each(target.expression, [&](const ExpressionPtr& part) {
      found = found || is_aggregate_call(part, vocabulary);
      return true;
    });
  }
  return found;
}

/// The expression with aggregates of no rows.
ExpressionPtr of_no_rows(const ExpressionPtr& expression, const Vocabulary& vocabulary) {
  const auto without_rows = [&](const ExpressionPtr& part) -> ExpressionPtr {
    if (!is_aggregate_call(part, vocabulary)) {
      return nullptr;
    }
    Call other = std::get<Call>(part->of);
    other.filter = make_expression(BooleanLiteral{false});
    return make_expression(std::move(other), part->span);
  };
  return rewrite(expression, {without_rows, {}, {}});
}

/// The items of FROM as one, joined; none of none.
FromItemPtr joined_items(const std::vector<FromItemPtr>& items) {
  FromItemPtr whole;
  for (const FromItemPtr& item : items) {
    JoinReference both{JoinReference::Kind::cross, false, whole, item, {}, nullptr};
    whole = whole ? std::make_shared<const FromItem>(FromItem{std::move(both), {}, {}, item->span})
                  : item;
  }
  return whole;
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
    const ExpressionPtr is_within = make_expression(Operation{"<=", {place, last}});
    const ExpressionPtr is_unlimited = make_expression(Operation{"<", {query.limit, none}});
    const bool is_limit = std::holds_alternative<NumberLiteral>(query.limit->of);  // never negative
    conditions.push_back(
        is_limit ? is_within
                 : make_expression(Logical{Logical::Kind::any, {is_unlimited, is_within}}));
  }
  chosen.where = make_expression(Logical{Logical::Kind::all, std::move(conditions)});
  return std::make_shared<const Select>(std::move(chosen));
}

/// Writes the query for the values of the outer columns, over the rows that the outer conditions
/// leave.
std::string asked_text(const OuterColumns& outer, const Scope::AskedRows& asked,
                       const Scope& around) {
  Select rows;
  rows.is_distinct = true;
  rows.from = asked.from;
  std::vector<ExpressionPtr> conditions;
  for (const ExpressionPtr& condition : asked.conditions) {
    conditions.push_back(
        with_nan(condition, [&](const ExpressionPtr& leaf) { return around.may_be_nan(leaf); }));
  }
  rows.where = make_expression(Logical{Logical::Kind::all, std::move(conditions)});
  for (const char* const prefix : {kKey, kValue}) {
    for (size_t number = 1; number <= outer.columns.size(); ++number) {
      rows.targets.push_back(
          {outer.columns[number - 1], Name{fmt::format("{}{}", prefix, number), {}}});
    }
  }
  return sqlite_text(rows);
}

/// Writes the query for these values, read from a table that has a column for each.
std::string asked_text(const OuterColumns& outer, const Relation& rows) {
  std::vector<std::string> texts;
  for (const char* const prefix : {kKey, kValue}) {
    for (size_t number = 1; number <= outer.columns.size(); ++number) {
      texts.push_back(
          fmt::format("{} AS {}{}", sqlite_name(rows.columns[number - 1].key), prefix, number));
    }
  }
  return fmt::format("SELECT DISTINCT {} FROM {}", fmt::join(texts, ", "), sqlite_name(rows.table));
}

std::vector<Name> first_names(const Relation& values, size_t count) {
  std::vector<Name> names;
  for (size_t column = 0; column < count; ++column) {
    names.push_back({values.columns[column].name, {}});
  }
  return names;
}

FromItemPtr outer_table(const Relation& values) {
  return std::make_shared<const FromItem>(
      FromItem{TableReference{Name{values.table, {}}, {}, false}, Name{kOuter, {}}, {}, {}});
}

/// Puts the keys of the values before all else that a query gives, and groups by them if it groups.
void say_keys(Select& query, const std::vector<Name>& keys, bool is_grouped) {
  std::vector<Target> targets;
  for (const Name& key : keys) {
    targets.push_back({column_at(kOuter, key.text), key});
    if (is_grouped) {
      query.group_by.push_back(targets.back().expression);
    }
  }
  query.targets.insert(query.targets.begin(), targets.begin(), targets.end());
}

}  // namespace

bool is_plain_aggregate(const Select& query, const Vocabulary& vocabulary) {
  return query.operation == Select::SetOperation::none && query.group_by.empty() && !query.having &&
         !query.limit && !query.offset && !query.targets.empty() &&
         is_aggregate_call(query.targets.front().expression, vocabulary);
}

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
                              fmt::format("{}{}", kValue, outer.columns.size() + 1));
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

/// The values in the rows that the conditions of the query around leave, some of which are by what
/// tensors make.
RelationPtr QueryCompiler::rows_asked(const OuterColumns& outer, const Scope::AskedRows& asked,
                                      const Scope& around) {
  BoundSelect rows;
  rows.scope = around;
  rows.from = asked.from;
  rows.conjuncts = asked.conditions;
  for (const ExpressionPtr& column : outer.columns) {
    rows.targets.push_back(
        {column, Name{fmt::format("{}{}", kValue, rows.targets.size() + 1), {}}});
  }
  return compile_bound(std::move(rows), *this);
}

/// The different values that the query around may ask with: keys of them, which of a tensor are its
/// row number, and behind these the values.
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
    RelationColumn& key = columns.emplace_back(RelationColumn{kKey + number});
    key.scalar = around.find_scalar(reference);
    keys.push_back(fmt::format("{} AS {}{}", sqlite_text(*column), kKey, number));
    RelationColumn value{kValue + number};
    value.scalar = key.scalar;
    if (const RelationColumn* const tensor = around.find_tensor(reference)) {
      value.tensor = tensor->tensor;
    }
    values.push_back(std::move(value));
    texts.push_back(fmt::format("{} AS {}{}", sqlite_text(*column), kValue, number));
  }
  columns.insert(columns.end(), values.begin(), values.end());
  texts.insert(texts.begin(), keys.begin(), keys.end());
  Scope::AskedRows asked = around.asked_rows();
  const Level level(around, vocabulary_, random_keys_);
  const auto is_by_tensors = [&](const ExpressionPtr& one) {
    return !level.is_plain(one) || has_queries(one);
  };
  if (!may_fail(outer.query)) {  // more values than asked for do no harm, and need no numbers first
    std::erase_if(asked.conditions, is_by_tensors);
  }
  if (!asked.from.empty() && !asked.conditions.empty()) {
    return make_relation(
        std::any_of(asked.conditions.begin(), asked.conditions.end(), is_by_tensors)
            ? asked_text(outer, *rows_asked(outer, asked, around))
            : asked_text(outer, asked, around),
        std::move(columns));
  }
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
                                        size_t num_values, bool fills_gaps) {
  Select made = *query;
  made.limit = made.offset = nullptr;
  made.order.clear();
  const std::vector<Name> keys = first_names(values, num_values);
  const bool is_grouped = has_groups(*query, vocabulary_);
  if (query->operation != Select::SetOperation::none) {
    made.left = for_all_values(query->left, values, num_values, true);
    made.right = for_all_values(query->right, values, num_values, true);
  } else {
    made.from.push_back(outer_table(values));
    say_keys(made, keys, is_grouped);
  }
  SelectPtr rows = query->limit || query->offset ? first_rows(std::move(made), *query, keys)
                                                 : std::make_shared<const Select>(std::move(made));
  const bool has_row_of_nothing = is_grouped && query->group_by.empty();
  const RelationPtr gaps =
      has_row_of_nothing && fills_gaps ? values_without_rows(*query, values, keys) : nullptr;
  if (gaps == nullptr) {
    return rows;
  }
  Select both;
  both.operation = Select::SetOperation::union_;
  both.is_all = true;
  both.left = std::move(rows);
  both.right = rows_of_nothing(*query, *gaps, keys);
  return std::make_shared<const Select>(std::move(both));
}

/// The values of the query around for which FROM and WHERE give no row; null if there are none.
RelationPtr QueryCompiler::values_without_rows(const Select& query, const Relation& values,
                                               const std::vector<Name>& keys) {
  Select found;
  found.with = query.with;
  found.is_recursive = query.is_recursive;
  found.is_distinct = true;
  found.from = query.from;
  found.from.push_back(outer_table(values));
  found.where = query.where;
  say_keys(found, keys, false);
  const RelationPtr rows = compile(std::make_shared<const Select>(std::move(found)));
  if (key_tables_.num_rows(rows->table) == key_tables_.num_rows(values.table)) {
    return nullptr;
  }
  std::vector<std::string> given;
  std::vector<std::string> asked;
  std::vector<std::string> texts;  // a key is the value, or its row number
  for (size_t column = 0; column < keys.size(); ++column) {
    given.push_back(sqlite_name(rows->columns[column].key));
    asked.push_back(sqlite_name(values.columns[column].key));
    texts.push_back(asked.back());
  }
  for (size_t column = keys.size(); column < values.columns.size(); ++column) {
    texts.push_back(fmt::format("{} AS {}", asked[column - keys.size()],
                                sqlite_name(values.columns[column].key)));
  }
  RelationPtr gaps = make_relation(
      fmt::format("SELECT {0} FROM (SELECT {1} FROM {2} EXCEPT SELECT {3} FROM {4})",
                  fmt::join(texts, ", "), fmt::join(asked, ", "), sqlite_name(values.table),
                  fmt::join(given, ", "), sqlite_name(rows->table)),
      values.columns);
  define(gaps->table, gaps);
  return gaps;
}

/// An aggregate without GROUP BY has one row also where there is nothing to aggregate: that row for
/// each of these values.
SelectPtr QueryCompiler::rows_of_nothing(const Select& query, const Relation& gaps,
                                         const std::vector<Name>& keys) {
  Select made = query;
  made.limit = made.offset = nullptr;
  made.order.clear();
  made.where = nullptr;
  for_each_result(made, [&](ExpressionPtr& part) { part = of_no_rows(part, vocabulary_); });
  made.from = {outer_table(gaps)};
  if (const FromItemPtr own = joined_items(query.from)) {
    const ExpressionPtr never = make_expression(BooleanLiteral{false});
    JoinReference join{JoinReference::Kind::left, false, made.from[0], own, {}, never};
    made.from = {
        std::make_shared<const FromItem>(FromItem{std::move(join), std::nullopt, {}, own->span})};
  }
  say_keys(made, keys, true);
  return query.limit || query.offset ? first_rows(std::move(made), query, keys)
                                     : std::make_shared<const Select>(std::move(made));
}

/// Makes an index of these columns, so that the query around finds the rows of one value without
/// looking at all of them.
void QueryCompiler::index_rows(const Relation& rows, const std::vector<std::string>& keys) {
  if (rows.owned != nullptr && !keys.empty() &&
      key_tables_.num_rows(rows.table) > kMostWithoutIndex) {
    connection().execute(fmt::format("CREATE INDEX IF NOT EXISTS temp.{} ON {}({})",
                                     sqlite_name(fmt::format("{}_by_{}", rows.table, keys.size())),
                                     sqlite_name(rows.table), fmt::join(keys, ", ")));
  }
}

SelectPtr QueryCompiler::prepared_correlated(const OuterColumns& outer, bool is_one_row,
                                             Scope& scope) {
  const RelationPtr values = outer_values(outer, scope);
  common_.push_back({{values->table, values}});
  RelationPtr rows;
  try {
    // A value of a plain aggregate that has no row is NULL or, of a count, 0 (query_within.cpp).
    const bool fills_gaps = !is_one_row || !is_plain_aggregate(*outer.query, vocabulary_);
    rows = compile(for_all_values(outer.query, *values, outer.columns.size(), fills_gaps));
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
          make_expression(Test{Test::Kind::distinct, true, own, outer.columns[column], true}));
      names.push_back(sqlite_name(rows->columns[column].key));
    } else if (rows->columns[column].name != kPlace) {
      read.targets.push_back({own, std::nullopt});
    }
  }
  index_rows(*rows, names);
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
