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

/// The columns of a query that gives a row for each row that its WHERE leaves; none of another.
Columns columns_of_rows(const Select& query, const FromItem& item, const Vocabulary& vocabulary) {
  const bool is_plain = query.operation == Select::SetOperation::none && query.values.empty() &&
                        query.with.empty() && query.group_by.empty() && !query.having &&
                        query.order.empty() && !query.limit && !query.offset && !query.is_distinct;
  Columns columns;
  for (size_t place = 0; is_plain && place < query.targets.size(); ++place) {
    const ExpressionPtr& expression = query.targets[place].expression;
    const std::string name = place < item.column_aliases.size() ? item.column_aliases[place].text
                                                                : name_of(query.targets[place]);
    if (std::holds_alternative<Star>(expression->of) || !is_of_row(expression, vocabulary) ||
        !columns.emplace(name, expression).second) {
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

}  // namespace

FromItemPtr with_pushed_conditions(const FromItemPtr& item, const Select& select,
                                   const Vocabulary& vocabulary) {
  const auto* const within = std::get_if<QueryReference>(&item->of);
  if (within == nullptr || within->is_lateral || !select.where) {
    return item;
  }
  const Columns columns = columns_of_rows(*within->query, *item, vocabulary);
  if (std::none_of(columns.begin(), columns.end(),
                   [](const auto& column) { return may_fail(column.second); })) {
    return item;
  }
  std::vector<ExpressionPtr> written;
  add_conjuncts(select.where, written);
  Select query = *within->query;
  std::vector<ExpressionPtr> conditions;
  add_conjuncts(query.where, conditions);
  const size_t num_own = conditions.size();
  for (const ExpressionPtr& condition : written) {
    const ExpressionPtr pushed =
        is_of_row(condition, vocabulary)
            ? in_terms_of(columns, condition, item->alias, select.from.size() == 1)
            : nullptr;
    if (pushed && !may_fail(pushed)) {
      conditions.push_back(pushed);
    }
  }
  if (conditions.size() == num_own) {
    return item;
  }
  query.where = make_expression(Logical{Logical::Kind::all, std::move(conditions)});
  FromItem other = *item;
  other.of = QueryReference{std::make_shared<const Select>(std::move(query)), false};
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
