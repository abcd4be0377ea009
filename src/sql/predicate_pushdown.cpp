#include "sql/predicate_pushdown.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sql/rewrite.h"
#include "sql/first_part.h"
#include "sql/partial_functions.h"
#include "sql/unnest.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

using Columns = std::map<std::string, ExpressionPtr>;  // of a query, by name

/// True if an expression follows from the values of one row alone, and always the same.
bool is_of_row(const ExpressionPtr& expression, const Vocabulary& vocabulary) {
  bool is_one = !has_queries(expression) && !draws(expression, vocabulary.tensor_functions);
  for_each(expression, [&](const ExpressionPtr& part) {
    const auto* const call = std::get_if<Call>(&part->of);
    is_one = is_one &&
             (call == nullptr ||
              (!call->over && !is_unnest(*call) && call->function.text != "random")) &&
             !is_aggregate_call(part, vocabulary);
    return is_one;
  });
  return is_one;
}

/// True if nothing stands around a SELECT, or around a set operation, that counts or orders rows.
bool is_bare(const Select& query) {
  return query.with.empty() && query.order.empty() && !query.limit && !query.offset;
}

/// The names of a query's columns in FROM; none if some are behind `*`.
std::vector<std::string> names_of_columns(const Select& query, const FromItem& item) {
  const Select* first = &query;
  while (first->operation != Select::SetOperation::none) {
    first = first->left.get();
  }
  std::vector<std::string> names;
  for (const Target& target : first->targets) {
    if (std::holds_alternative<Star>(target.expression->of)) {
      return {};
    }
    const size_t place = names.size();
    names.push_back(place < item.column_aliases.size() ? item.column_aliases[place].text
                                                       : name_of(target));
  }
  return names;
}

/// The columns of a query that gives a row for each row that its WHERE leaves; none of another.
Columns columns_of_rows(const Select& query, const std::vector<std::string>& names,
                        const Vocabulary& vocabulary) {
  const bool is_plain = is_bare(query) && query.values.empty() && query.group_by.empty() &&
                        !query.having && !query.is_distinct && query.targets.size() == names.size();
  Columns columns;
  for (size_t place = 0; is_plain && place < query.targets.size(); ++place) {
    const ExpressionPtr& expression = query.targets[place].expression;
    if (std::holds_alternative<Star>(expression->of) || !is_of_row(expression, vocabulary) ||
        !columns.emplace(names[place], expression).second) {
      return {};
    }
  }
  return columns;
}

/// A condition on these columns as one on what they are; null if it names others.
ExpressionPtr in_terms_of(const Columns& columns, const ExpressionPtr& condition,
                          const std::optional<Name>& alias, bool is_alone) {
  bool are_known = true;
  const auto meant = [&](const ExpressionPtr& part) -> ExpressionPtr {
    const auto* const reference = std::get_if<ColumnReference>(&part->of);
    if (reference == nullptr) {
      return nullptr;
    }
    const auto found = columns.find(reference->column.text);
    const bool is_its =
        reference->table ? alias && reference->table->text == alias->text : is_alone;
    are_known = are_known && is_its && found != columns.end();
    return are_known ? found->second : part;
  };
  ExpressionPtr other = rewrite(condition, {meant, {}, {}});
  return are_known ? other : nullptr;
}

/// True if a condition may be another one in a part of a set operation, whose columns may have
/// another type there: a quotient or a remainder of integers, and the text of a number.
bool depends_on_type(const ExpressionPtr& condition) {
  bool depends = false;
  for_each(condition, [&](const ExpressionPtr& part) {
    const auto* const operation = std::get_if<Operation>(&part->of);
    depends = depends || std::holds_alternative<Like>(part->of) ||
              std::holds_alternative<Cast>(part->of) ||
              (operation != nullptr &&
               (operation->symbol == "/" || operation->symbol == "%" || operation->symbol == "||"));
    return !depends;
  });
  return depends;
}

/// Conditions on the columns of a table in FROM.
struct Pushed {
  const std::vector<ExpressionPtr>& conditions;
  const std::vector<std::string>& names;  // of the columns
  const std::optional<Name>& alias;
  bool is_alone;  // no other table is in FROM
};

/// The query with the conditions in its WHERE that its columns with no value in some rows need; in
/// each part of a set operation, which keeps the rows that the conditions leave. Null if there are
/// none.
SelectPtr with_conditions(const Select& query, const Pushed& pushed, const Vocabulary& vocabulary) {
  Select other = query;
  if (query.operation != Select::SetOperation::none) {
    const SelectPtr left =
        is_bare(query) ? with_conditions(*query.left, pushed, vocabulary) : nullptr;
    const SelectPtr right =
        is_bare(query) ? with_conditions(*query.right, pushed, vocabulary) : nullptr;
    other.left = left ? left : query.left;
    other.right = right ? right : query.right;
    return left || right ? std::make_shared<const Select>(std::move(other)) : nullptr;
  }
  const Columns columns = columns_of_rows(query, pushed.names, vocabulary);
  if (std::none_of(columns.begin(), columns.end(),
                   [](const auto& column) { return may_fail(column.second); })) {
    return nullptr;
  }
  std::vector<ExpressionPtr> conditions;
  add_conjuncts(query.where, conditions);
  const size_t num_own = conditions.size();
  for (const ExpressionPtr& condition : pushed.conditions) {
    const ExpressionPtr meant = in_terms_of(columns, condition, pushed.alias, pushed.is_alone);
    if (meant && !may_fail(meant)) {
      conditions.push_back(meant);
    }
  }
  if (conditions.size() == num_own) {
    return nullptr;
  }
  other.where = make_expression(Logical{Logical::Kind::all, std::move(conditions)});
  return std::make_shared<const Select>(std::move(other));
}

}  // namespace

FromItemPtr with_pushed_conditions(const FromItemPtr& item, const Select& select,
                                   const Vocabulary& vocabulary) {
  const auto* const within = std::get_if<QueryReference>(&item->of);
  if (within == nullptr || within->is_lateral || !select.where) {
    return item;
  }
  std::vector<ExpressionPtr> conditions;
  add_conjuncts(select.where, conditions);
  const bool has_parts = within->query->operation != Select::SetOperation::none;
  conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                  [&](const ExpressionPtr& condition) {
                                    return !is_of_row(condition, vocabulary) ||
                                           (has_parts && depends_on_type(condition));
                                  }),
                   conditions.end());
  const std::vector<std::string> names = names_of_columns(*within->query, *item);
  const SelectPtr query = with_conditions(
      *within->query, {conditions, names, item->alias, select.from.size() == 1}, vocabulary);
  if (!query) {
    return item;
  }
  FromItem other = *item;
  other.of = QueryReference{query, false};
  return std::make_shared<const FromItem>(std::move(other));
}

void push_having(BoundSelect& select, QueryCompiler& compiler) {
  const Level level(select.scope, compiler.vocabulary(), compiler.random_keys());
  bool has_partial = false;
  for_each_result(select, [&](const ExpressionPtr& result) {
    has_partial = has_partial || (may_fail(result) && !level.is_plain(result));
  });
  if (select.group_by.empty() || !select.having || !has_partial) {
    return;
  }
  std::set<std::string> keys;
  for (const ExpressionPtr& key : select.group_by) {
    keys.insert(identity_of(key, select.scope));
  }
  const auto is_of_keys = [&](const ExpressionPtr& condition) {
    bool is_one = is_of_row(condition, compiler.vocabulary()) && !may_fail(condition);
    for_each(condition, [&](const ExpressionPtr& part) {
      const bool is_key = is_one && keys.count(identity_of(part, select.scope)) != 0;
      is_one = is_one && (is_key || !std::holds_alternative<ColumnReference>(part->of));
      return is_one && !is_key;
    });
    return is_one;
  };
  std::vector<ExpressionPtr> conditions;
  add_conjuncts(select.having, conditions);
  const auto pushed =
      std::stable_partition(conditions.begin(), conditions.end(),
                            [&](const ExpressionPtr& condition) { return !is_of_keys(condition); });
  select.conjuncts.insert(select.conjuncts.end(), pushed, conditions.end());
  conditions.erase(pushed, conditions.end());
  select.having = conditions.empty()
                      ? nullptr
                      : make_expression(Logical{Logical::Kind::all, std::move(conditions)});
}

}  // namespace tessera::sql
