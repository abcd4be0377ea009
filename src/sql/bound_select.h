#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/query.h"
#include "sql/scope.h"

namespace tessera::sql {

/// A bound on a target that is row_number(), rank() or dense_rank() over a window: the query around
/// leaves out rows of a higher rank.
struct RankBound {
  size_t target;  // its place
  int64_t most;
};

/// One SELECT whose names are known: its tables are relations, what `*` stands for is written out,
/// and every target has its name as an alias.
struct BoundSelect {
  Scope scope;
  std::vector<frontend::sql::FromItemPtr> from;
  std::vector<frontend::sql::ExpressionPtr> conjuncts;  // of WHERE, and of inner joins by tensors
  std::vector<frontend::sql::Target> targets;
  std::vector<frontend::sql::ExpressionPtr> group_by;
  frontend::sql::ExpressionPtr having = nullptr;
  std::vector<frontend::sql::OrderKey> order;
  bool is_distinct = false;
  bool is_grouped = false;
  frontend::sql::ExpressionPtr limit = nullptr;
  frontend::sql::ExpressionPtr offset = nullptr;

  /// A bound on the ranks that a target gives (rank_bounds.h).
  std::optional<RankBound> rank_bound = std::nullopt;

  /// What a SELECT within has made ready (stages.h).
  struct Ready {
    bool distinct = false, rows = false, windows = false;
  } ready = {};
  /// What its conditions call.
  std::vector<std::shared_ptr<const database::LentFunction>> functions = {};
  /// Columns of tensors that are the same in all rows of a group.
  std::set<std::string> constant_in_groups = {};
};

/// Finds what the names of a SELECT mean. Errors: `user` where one means nothing.
BoundSelect bind(const frontend::sql::Select& select, QueryCompiler& compiler);

/// Adds the conditions that AND joins in one; none of null.
void add_conjuncts(const frontend::sql::ExpressionPtr& condition,
                   std::vector<frontend::sql::ExpressionPtr>& conjuncts);

/// All rows of a relation, which is called so.
BoundSelect select_from(const RelationPtr& relation, const std::string& alias);

/// An expression that ORDER BY names by its number or its name, as the target that is meant;
/// nothing where it is an expression of its own.
frontend::sql::ExpressionPtr meant_target(const frontend::sql::ExpressionPtr& expression,
                                          const std::vector<frontend::sql::Target>& targets);

/// Calls `visit` for all expressions of a SELECT but those of WHERE, which may replace them.
template <class Select, class Visit>
void for_each_result(Select& select, const Visit& visit) {
  for (auto& target : select.targets) {
    visit(target.expression);
  }
  for (auto& key : select.order) {
    visit(key.expression);
  }
  if (select.having) {
    visit(select.having);
  }
}

}  // namespace tessera::sql
