#include "sql/grid_keys.h"

#include <optional>
#include <utility>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

GridKeys::GridKeys(const std::vector<ExpressionPtr>& conjuncts,
                   const std::vector<FromItemPtr>& from,
                   const std::vector<ExpressionPtr>& group_by) {
  for (const ExpressionPtr& key : group_by) {
    if (std::holds_alternative<ColumnReference>(key->of)) {
      class_of(key);
    }
  }
  for (const ExpressionPtr& condition : conjuncts) {
    add_condition(condition);
  }
  for (const FromItemPtr& item : from) {
    add_joins(item);
  }
}

std::vector<ExpressionPtr> GridKeys::representatives() const {
  std::vector<ExpressionPtr> found;
  for (const std::vector<ExpressionPtr>& equal : classes_) {
    if (!equal.empty()) {
      found.push_back(equal.front());
    }
  }
  return found;
}

size_t GridKeys::class_of(const ExpressionPtr& column) {
  const std::string text = sqlite_text(*column);
  for (size_t number = 0; number < classes_.size(); ++number) {
    for (const ExpressionPtr& member : classes_[number]) {
      if (sqlite_text(*member) == text) {
        return number;
      }
    }
  }
  classes_.push_back({column});
  return classes_.size() - 1;
}

void GridKeys::add_condition(const ExpressionPtr& condition) {
  if (!condition) {
    return;
  }
  if (const auto* all = std::get_if<Logical>(&condition->of);
      all != nullptr && all->kind == Logical::Kind::all) {
    for (const ExpressionPtr& operand : all->operands) {
      add_condition(operand);
    }
    return;
  }
  const auto* const equality = std::get_if<Operation>(&condition->of);
  if (equality == nullptr || equality->symbol != "=" || equality->operands.size() != 2 ||
      !std::holds_alternative<ColumnReference>(equality->operands[0]->of) ||
      !std::holds_alternative<ColumnReference>(equality->operands[1]->of)) {
    return;
  }
  const size_t one = class_of(equality->operands[0]);
  const size_t other = class_of(equality->operands[1]);
  if (one != other) {
    const size_t kept = std::min(one, other);
    std::vector<ExpressionPtr> joined = std::exchange(classes_[std::max(one, other)], {});
    classes_[kept].insert(classes_[kept].end(), joined.begin(), joined.end());
  }
}

void GridKeys::add_joins(const FromItemPtr& item) {
  const auto* const join = std::get_if<JoinReference>(&item->of);
  if (join == nullptr) {
    return;
  }
  add_joins(join->left);
  add_joins(join->right);
  if (join->kind == JoinReference::Kind::inner) {
    add_condition(join->condition);
    add_columns_in_common(*join);
  }
}

/// By the name of one table: alone a column's name may be that of others too.
void GridKeys::add_columns_in_common(const JoinReference& join) {
  const FromItem& table = join.right->alias ? *join.right : *join.left;
  if (!table.alias) {
    return;
  }
  for (const Name& name : join.using_columns) {
    add_condition(make_expression(
        Operation{"=",
                  {make_expression(ColumnReference{table.alias, name}, name.span),
                   make_expression(ColumnReference{std::nullopt, name}, name.span)}}));
  }
}

}  // namespace tessera::sql
