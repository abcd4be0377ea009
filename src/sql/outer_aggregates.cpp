#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/rewrite.h"
#include "sql/bound_select.h"
#include "sql/query.h"
#include "sql/tensor_building.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr const char* kGroups = "tessera_groups";

/// What a query that groups gives to the one over it: each a column of its own.
class GroupColumns {
 public:
  ExpressionPtr aggregate(const ExpressionPtr& call) {
    ++num_aggregates_;
    return add(call);
  }
  ExpressionPtr column(const ExpressionPtr& reference, const std::string& table) {
    const std::string name = std::get<ColumnReference>(reference->of).column.text;
    ExpressionPtr& known = columns_[{table, name}];
    if (!known) {
      known = add(make_expression(ColumnReference{Name{table, {}}, Name{name, {}}}));
    }
    return std::make_shared<const Expression>(Expression{known->of, reference->span});
  }

  int64_t num_aggregates() const { return num_aggregates_; }
  const std::vector<Target>& targets() const { return targets_; }

 private:
  ExpressionPtr add(const ExpressionPtr& expression) {
    const Name name{fmt::format("a{}", targets_.size() + 1), {}};
    targets_.push_back({expression, name});
    return make_expression(ColumnReference{Name{kGroups, {}}, name}, expression->span);
  }

  std::vector<Target> targets_;
  std::map<std::pair<std::string, std::string>, ExpressionPtr> columns_;
  int64_t num_aggregates_ = 0;
};

bool results_have_queries(const Select& query) {
  bool found = false;
  for_each_result(
      query, [&](const ExpressionPtr& expression) { found = found || has_queries(expression); });
  return found;
}

/// Whether an aggregate names columns, and none but those that are so.
bool is_of(const Call& call, const std::function<bool(const ColumnReference&)>& is_outer) {
  bool has_columns = false;
  bool is_all = true;
  for_each(call.arguments.front(), [&](const ExpressionPtr& part) {
    if (const auto* const column = std::get_if<ColumnReference>(&part->of)) {
      has_columns = true;
      is_all = is_all && is_outer(*column);
    }
    return is_all;
  });
  return has_columns && is_all;
}

/// The table of a scope that has a column; null where none does.
const Scope::Entry* own_entry(const ColumnReference& column, const Scope& scope) {
  const Select none;
  const Scope nothing;
  return NamesWithin{none, nothing, scope}.outer_entry(column);
}

}  // namespace

/// What a query within says of the groups around, as columns of these.
SelectPtr QueryCompiler::over_groups(const SelectPtr& query, const Scope& around,
                                     const NamesColumn& columns) {
  return rewritten_within(query, around, [&](const NamesWithin& names) {
    Rewrites rewrites;
    rewrites.expression = [this, names, &columns](const ExpressionPtr& part) -> ExpressionPtr {
      const auto* const column = std::get_if<ColumnReference>(&part->of);
      if (column != nullptr) {
        const Scope::Entry* const entry = names.outer_entry(*column);
        return entry == nullptr ? nullptr : columns(part, entry->alias);
      }
      const bool is_outer = is_aggregate_call(part, vocabulary_) &&
                            is_of(std::get<Call>(part->of), [&](const ColumnReference& one) {
                              return names.outer_entry(one) != nullptr;
                            });
      return is_outer ? columns(part, "") : nullptr;
    };
    rewrites.from = [](const FromItemPtr& item) { return item; };
    return rewrites;
  });
}

/// A SELECT with queries in it that have aggregates of its columns alone: by SQL's rule these are
/// its own. It becomes one over a query that groups and has them as columns. Null where there are
/// none.
SelectPtr QueryCompiler::with_own_aggregates(const SelectPtr& query) {
  if (query->operation != Select::SetOperation::none || !results_have_queries(*query)) {
    return nullptr;
  }
  const Scope scope = scope_of(*query);
  GroupColumns groups;
  const NamesColumn columns = [&](const ExpressionPtr& part, const std::string& table) {
    return std::holds_alternative<ColumnReference>(part->of) ? groups.column(part, table)
                                                             : groups.aggregate(part);
  };
  Rewrites within;  // looks for aggregates in queries alone
  within.select = [&](const SelectPtr& inner) { return over_groups(inner, scope, columns); };
  for_each_result(*query, [&](const ExpressionPtr& part) { rewrite(part, within); });
  if (groups.num_aggregates() == 0) {
    return nullptr;
  }
  groups = {};
  Rewrites rewrites = within;
  rewrites.expression = [&](const ExpressionPtr& part) -> ExpressionPtr {
    const auto* const column = std::get_if<ColumnReference>(&part->of);
    const Scope::Entry* const entry = column == nullptr ? nullptr : own_entry(*column, scope);
    return entry != nullptr                       ? columns(part, entry->alias)
           : is_aggregate_call(part, vocabulary_) ? columns(part, "")
                                                  : nullptr;
  };
  Select over = *query;
  over.group_by.clear();
  const auto over_columns = [&](ExpressionPtr& part) { part = rewrite(part, rewrites); };
  for_each_result(over, over_columns);
  for (NamedWindow& named : over.windows) {
    std::for_each(named.window.partition.begin(), named.window.partition.end(), over_columns);
    for (OrderKey& key : named.window.order) {
      over_columns(key.expression);
    }
  }
  over.where = std::exchange(over.having, nullptr);
  Select within_groups;
  within_groups.targets = groups.targets();
  within_groups.from = query->from;
  within_groups.where = query->where;
  for (const ExpressionPtr& key : query->group_by) {
    const ExpressionPtr target = meant_target(key, query->targets);
    within_groups.group_by.push_back(target ? target : key);
  }
  over.from = {std::make_shared<const FromItem>(
      FromItem{QueryReference{std::make_shared<const Select>(std::move(within_groups))},
               Name{kGroups, {}},
               {},
               {}})};
  return std::make_shared<const Select>(std::move(over));
}

}  // namespace tessera::sql
