#include "sql/stages.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/block.h"
#include "sql/choices_by_tensors.h"
#include "sql/distinct_arguments.h"
#include "sql/equal_tensors.h"
#include "sql/first_part.h"
#include "sql/partial_functions.h"
#include "sql/statement_error.h"
#include "sql/tensor_building.h"
#include "sql/unnest.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

const Call* call_of(const ExpressionPtr& expression) {
  return std::get_if<Call>(&expression->of);
}

using Wanted = std::function<bool(const ExpressionPtr&)>;

bool contains(const ExpressionPtr& expression, const Wanted& wanted) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    found = found || wanted(part);
    return !found;
  });
  return found;
}

/// Whether this holds of any expression of a SELECT but those of WHERE.
bool any_result(const BoundSelect& select, const Wanted& wanted) {
  bool found = false;
  for_each_result(select,
                  [&](const ExpressionPtr& expression) { found = found || wanted(expression); });
  return found;
}

bool is_window(const ExpressionPtr& expression) {
  const Call* const call = call_of(expression);
  return call != nullptr && call->over;
}

bool is_unnested(const ExpressionPtr& expression) {
  const Call* const call = call_of(expression);
  return call != nullptr && is_unnest(*call);
}

/// A query that is part of an expression; null for all else.
SelectPtr query_of(const ExpressionPtr& expression) {
  const auto* const value = std::get_if<ScalarQuery>(&expression->of);
  const auto* const exists = std::get_if<Exists>(&expression->of);
  const auto* const in = std::get_if<In>(&expression->of);
  return value != nullptr    ? value->query
         : exists != nullptr ? exists->query
         : in != nullptr     ? in->query
                             : nullptr;
}

bool has_window(const ExpressionPtr& expression) {
  return contains(expression, is_window);
}

bool has_unnest(const ExpressionPtr& expression) {
  return contains(expression, is_unnested);
}

/// Whether a query that names columns of the one around is asked, not within an aggregate.
bool asks(const ExpressionPtr& expression, const Scope& scope, QueryCompiler& compiler) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    const SelectPtr query = query_of(part);
    found = found || (query && query->where && scope.find_query(query));
    const Call* const call = call_of(part);
    return call == nullptr || call->over ||
           !is_aggregate(call->function.text, compiler.vocabulary());
  });
  return found;
}

/// DISTINCT, where the rows and their order are those of a SELECT within.
RelationPtr compile_distinct(BoundSelect select, QueryCompiler& compiler) {
  BoundSelect within = select;
  within.is_distinct = false;
  within.order.clear();
  within.limit = within.offset = nullptr;
  const RelationPtr rows = with_equal_rows(compile_bound(within, compiler), compiler);
  BoundSelect over = select_from(rows, kFirstPart);
  for (OrderKey key : select.order) {
    const auto target =
        std::find_if(select.targets.begin(), select.targets.end(), [&](const Target& one) {
          return one.expression == key.expression || identity_of(one.expression, select.scope) ==
                                                         identity_of(key.expression, select.scope);
        });
    at(key.expression->span, [&] {
      TESSERA_USER_CHECK(target != select.targets.end(),
                         "of DISTINCT rows ORDER BY names columns that are selected");
    });
    key.expression = over.targets[static_cast<size_t>(target - select.targets.begin())].expression;
    over.order.push_back(std::move(key));
  }
  over.is_distinct = true;
  over.limit = select.limit;
  over.offset = select.offset;
  over.ready = {true, true, true};
  return compile_bound(std::move(over), compiler);
}

/// True if an expression may have no value in some rows, and so is computed where the choice among
/// values is made, behind the SELECT within; aggregates and queries are of that.
bool is_of_chosen_rows(const ExpressionPtr& expression, QueryCompiler& compiler) {
  const auto is_query = [](const ExpressionPtr& part) { return query_of(part) != nullptr; };
  return may_fail(expression) && !is_aggregate_call(expression, compiler.vocabulary()) &&
         !contains(expression, is_query);
}

/// The values that an expression chooses among.
ExpressionSet chosen_values(const ExpressionPtr& expression) {
  ExpressionSet values;
  const Call* const call = call_of(expression);
  if (const auto* const node = std::get_if<Case>(&expression->of)) {
    for (const Case::Branch& branch : node->branches) {
      values.insert(branch.result);
    }
    values.insert(node->otherwise);
  } else if (call != nullptr && call->function.text == "coalesce") {
    values.insert(call->arguments.begin(), call->arguments.end());
  }
  return values;
}

/// Windows, rows of the tensors that groups or windows make, an order of tensors, choices by what
/// tensors make, and queries that are asked for each group: what they are about is computed by a
/// SELECT within.
RelationPtr compile_behind(BoundSelect select, const Wanted& stands_behind,
                           QueryCompiler& compiler) {
  FirstPart first(select.scope, compiler);
  std::vector<std::string> partitions;
  bool is_in_condition = false;  // of a CASE: it is computed before the choice is made
  std::function<ExpressionPtr(const ExpressionPtr&)> split_chosen;
  const std::function<ExpressionPtr(const ExpressionPtr&)> split =
      [&](const ExpressionPtr& expression) -> ExpressionPtr {
    if (!stands_behind(expression)) {
      return first.column_of(expression);
    }
    bool is_whole = true;
    const Call* const call = call_of(expression);
    const ExpressionSet chosen = is_in_condition ? ExpressionSet() : chosen_values(expression);
    const bool has_conditions = std::holds_alternative<Case>(expression->of);
    ExpressionPtr other = rewrite(
        expression, {[&](const ExpressionPtr& part) {
                       if (std::exchange(is_whole, false)) {
                         return ExpressionPtr();
                       }
                       if (chosen.count(part) != 0) {
                         return split_chosen(part);
                       }
                       const bool was_in_condition =
                           std::exchange(is_in_condition, is_in_condition || has_conditions);
                       ExpressionPtr made = split(part);
                       is_in_condition = was_in_condition;
                       return made;
                     },
                     [&](const SelectPtr& query) { return first.asking_with_columns(query); },
                     {}});
    if (call != nullptr && call->over) {
      for (const ExpressionPtr& key : call_of(other)->over->partition) {
        first.compare(key);
      }
    }
    return other;
  };
  split_chosen = [&](const ExpressionPtr& expression) -> ExpressionPtr {
    if (stands_behind(expression) || !is_of_chosen_rows(expression, compiler)) {
      return split(expression);
    }
    bool is_whole = true;
    const auto part_of = [&](const ExpressionPtr& part) {
      return std::exchange(is_whole, false) ? ExpressionPtr() : split_chosen(part);
    };
    return rewrite(expression, {part_of, {}, {}});
  };
  BoundSelect over;
  over.targets = std::move(select.targets);
  over.order = std::move(select.order);
  for_each_result(over, [&](ExpressionPtr& expression) { expression = split(expression); });
  if (select.having && stands_behind(select.having)) {
    over.conjuncts.push_back(split(std::exchange(select.having, nullptr)));
  }
  if (!select.is_grouped) {
    std::erase_if(select.conjuncts, [&](const ExpressionPtr& condition) {
      const bool is_behind = stands_behind(condition);
      if (is_behind) {
        over.conjuncts.push_back(split(condition));
      }
      return is_behind;
    });
  }
  over.is_distinct = select.is_distinct;
  over.limit = std::exchange(select.limit, nullptr);
  over.offset = std::exchange(select.offset, nullptr);
  over.ready = {select.ready.distinct, true, true};
  select.is_distinct = false;
  select.order.clear();
  return compile_bound(first.stand_before(std::move(over), std::move(select)), compiler);
}

/// Groups of rows that are made first, as their number is asked for, what tensors are equal, or
/// what tensors make of them: these aggregates are given columns.
RelationPtr compile_groups(BoundSelect select, const ExpressionSet& given_columns,
                           QueryCompiler& compiler) {
  FirstPart first(select.scope, compiler);
  BoundSelect over;
  for (const ExpressionPtr& key : select.group_by) {
    over.group_by.push_back(first.column_of(key));
    first.compare(over.group_by.back());
  }
  over.targets = std::move(select.targets);
  over.order = std::move(select.order);
  over.having = std::exchange(select.having, nullptr);
  for_each_result(over, [&](ExpressionPtr& expression) {
    expression = first.over_columns(expression, given_columns);
  });
  over.is_grouped = true;
  over.limit = std::exchange(select.limit, nullptr);
  over.offset = std::exchange(select.offset, nullptr);
  over.ready = {true, true, true};
  select.group_by.clear();
  select.order.clear();
  select.is_grouped = false;
  over = first.stand_before(std::move(over), std::move(select));
  take_distinct_tensors(over, compiler);
  build_tensors(over, compiler);
  return compile_bound(std::move(over), compiler);
}

bool wants_rows_of_groups(const BoundSelect& select, QueryCompiler& compiler) {
  const Level level(select.scope, compiler.vocabulary(), compiler.random_keys());
  const Wanted asks_for_rows = [&](const ExpressionPtr& part) {
    const Call* const call = call_of(part);
    return call != nullptr &&
           (builds_tensors(call->function.text) ||
            (call->is_distinct && !call->arguments.empty() && !level.is_plain(call->arguments[0])));
  };
  return any_result(select,
                    [&](const ExpressionPtr& expression) {
                      return contains(expression, asks_for_rows);
                    }) ||
         std::any_of(select.group_by.begin(), select.group_by.end(),
                     [&](const ExpressionPtr& key) { return !level.is_plain(key); });
}

/// Whether rows, or groups, are ordered by tensors.
bool is_ordered_by_tensors(const BoundSelect& select, QueryCompiler& compiler) {
  RandomKeys keys = compiler.random_keys();  // what is drawn here is not drawn
  Level rows(select.scope, compiler.vocabulary(), keys);
  Level groups(rows, compiler.vocabulary(), select.constant_in_groups);
  Level& level = select.is_grouped ? groups : rows;
  return std::any_of(select.order.begin(), select.order.end(), [&](const OrderKey& key) {
    const std::optional<TensorValue> value = level.tensor_of(key.expression);
    return value && !value->is_number();
  });
}

}  // namespace

RelationPtr compile_bound(BoundSelect select, QueryCompiler& compiler) {
  write_nullif_as_case(select, compiler);
  if (select.is_distinct && !select.ready.distinct) {
    return compile_distinct(std::move(select), compiler);
  }
  const bool has_windows = !select.ready.windows && any_result(select, has_window);
  if (any_result(select, has_unnest)) {
    select.rank_bound.reset();
    if (select.is_grouped || has_windows) {
      return compile_behind(std::move(select), has_unnest, compiler);
    }
    unnest_targets(select, compiler);
  }
  if (has_windows) {
    return compile_behind(std::move(select), has_window, compiler);
  }
  select.rank_bound.reset();
  if (select.is_grouped) {
    const Wanted asks_for_groups = [&compiler,
                                    scope = select.scope](const ExpressionPtr& expression) {
      return asks(expression, scope, compiler);
    };
    if (any_result(select, asks_for_groups)) {
      return compile_behind(std::move(select), asks_for_groups, compiler);
    }
    if (!select.ready.rows) {
      const ExpressionSet aggregates = aggregates_by_tensors(select, compiler);
      if (!aggregates.empty() || wants_rows_of_groups(select, compiler) ||
          has_conditions_by_cases(select, compiler)) {
        return compile_groups(std::move(select), aggregates, compiler);
      }
    }
  }
  const ExpressionSet cases = cases_by_tensors(select, compiler);
  if (!cases.empty()) {
    const Wanted is_one = [&](const ExpressionPtr& part) { return cases.count(part) != 0; };
    return compile_behind(
        std::move(select),
        [&](const ExpressionPtr& expression) { return contains(expression, is_one); }, compiler);
  }
  if (is_ordered_by_tensors(select, compiler)) {
    const Wanted nothing = [](const ExpressionPtr&) { return false; };
    return compile_behind(std::move(select), nothing, compiler);
  }
  return compile_block(select, compiler);
}

}  // namespace tessera::sql
