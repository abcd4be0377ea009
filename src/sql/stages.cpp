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
#include "sql/equal_tensors.h"
#include "sql/first_part.h"
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

bool contains(const ExpressionPtr& expression, const std::function<bool(const Call&)>& wanted) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    const Call* const call = call_of(part);
    found = found || (call != nullptr && wanted(*call));
    return !found;
  });
  return found;
}

bool any_contains(const BoundSelect& select, const std::function<bool(const Call&)>& wanted) {
  bool found = false;
  for_each_result(select, [&](const ExpressionPtr& expression) {
    found = found || contains(expression, wanted);
  });
  return found;
}

bool is_window(const Call& call) {
  return call.over != nullptr;
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

/// Windows, and rows of the tensors that groups or windows make: what they are about is computed by
/// a SELECT within.
RelationPtr compile_behind(BoundSelect select, const std::function<bool(const Call&)>& is_behind,
                           QueryCompiler& compiler) {
  FirstPart first(select.scope, compiler);
  std::vector<std::string> partitions;
  const std::function<ExpressionPtr(const ExpressionPtr&)> split =
      [&](const ExpressionPtr& expression) -> ExpressionPtr {
    if (!contains(expression, is_behind)) {
      return first.column_of(expression);
    }
    bool is_whole = true;
    const Call* const call = call_of(expression);
    const ExpressionPtr other = rewrite(
        expression, {[&](const ExpressionPtr& part) {
                       return std::exchange(is_whole, false) ? ExpressionPtr() : split(part);
                     },
                     {},
                     {}});
    if (call != nullptr && call->over) {
      for (const ExpressionPtr& key : call_of(other)->over->partition) {
        first.compare(key);
      }
    }
    return other;
  };
  BoundSelect over;
  over.targets = std::move(select.targets);
  over.order = std::move(select.order);
  for_each_result(over, [&](ExpressionPtr& expression) { expression = split(expression); });
  over.is_distinct = select.is_distinct;
  over.limit = std::exchange(select.limit, nullptr);
  over.offset = std::exchange(select.offset, nullptr);
  over.ready = {select.ready.distinct, true, true};
  select.is_distinct = false;
  select.order.clear();
  return compile_bound(first.stand_before(std::move(over), std::move(select)), compiler);
}

/// Groups of rows that are made first, as their number is asked for, or what tensors are equal.
RelationPtr compile_groups(BoundSelect select, QueryCompiler& compiler) {
  FirstPart first(select.scope, compiler);
  BoundSelect over;
  for (const ExpressionPtr& key : select.group_by) {
    over.group_by.push_back(first.column_of(key));
    first.compare(over.group_by.back());
  }
  over.targets = std::move(select.targets);
  over.order = std::move(select.order);
  over.having = std::exchange(select.having, nullptr);
  for_each_result(over,
                  [&](ExpressionPtr& expression) { expression = first.over_columns(expression); });
  over.is_grouped = true;
  over.limit = std::exchange(select.limit, nullptr);
  over.offset = std::exchange(select.offset, nullptr);
  over.ready = {true, true, true};
  select.group_by.clear();
  select.order.clear();
  select.is_grouped = false;
  over = first.stand_before(std::move(over), std::move(select));
  build_tensors(over, compiler);
  return compile_bound(std::move(over), compiler);
}

bool wants_rows_of_groups(const BoundSelect& select, QueryCompiler& compiler) {
  const Level level(select.scope, compiler.vocabulary(), compiler.random_keys());
  return any_contains(select,
                      [&](const Call& call) {
                        return builds_tensors(call.function.text) ||
                               (call.is_distinct && !call.arguments.empty() &&
                                !level.is_plain(call.arguments[0]));
                      }) ||
         std::any_of(select.group_by.begin(), select.group_by.end(),
                     [&](const ExpressionPtr& key) { return !level.is_plain(key); });
}

}  // namespace

RelationPtr compile_bound(BoundSelect select, QueryCompiler& compiler) {
  if (select.is_distinct && !select.ready.distinct) {
    return compile_distinct(std::move(select), compiler);
  }
  const bool has_windows = !select.ready.windows && any_contains(select, is_window);
  if (any_contains(select, is_unnest)) {
    if (select.is_grouped || has_windows) {
      return compile_behind(std::move(select), is_unnest, compiler);
    }
    unnest_targets(select, compiler);
  }
  if (has_windows) {
    return compile_behind(std::move(select), is_window, compiler);
  }
  if (select.is_grouped && !select.ready.rows && wants_rows_of_groups(select, compiler)) {
    return compile_groups(std::move(select), compiler);
  }
  return compile_block(select, compiler);
}

}  // namespace tessera::sql
