#include "sql/block.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/computed_columns.h"
#include "sql/grid_keys.h"
#include "sql/query.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

void add_conjuncts(const ExpressionPtr& condition, std::vector<ExpressionPtr>& conjuncts) {
  if (!condition) {
    return;
  }
  const auto* const logical = std::get_if<Logical>(&condition->of);
  if (logical == nullptr || logical->kind != Logical::Kind::all) {
    conjuncts.push_back(condition);
    return;
  }
  for (const ExpressionPtr& operand : logical->operands) {
    add_conjuncts(operand, conjuncts);
  }
}

ExpressionPtr all_of(std::vector<ExpressionPtr> conditions) {
  if (conditions.empty()) {
    return nullptr;
  }
  return conditions.size() == 1
             ? conditions.front()
             : make_expression(Logical{Logical::Kind::all, std::move(conditions)});
}

}  // namespace

std::string list_of(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

RelationPtr Block::compile() {
  find_tables();
  find_targets();
  make_rows();
  if (is_grouped_) {
    make_groups();
  }
  order_rows();
  return result();
}

void Block::find_tables() {
  for (const FromItemPtr& item : select_.from) {
    from_.push_back(compiler_.prepared(item, scope_));
  }
  add_conjuncts(compiler_.prepared(select_.where, scope_), conjuncts_);
  for (FromItemPtr& item : from_) {
    item = without_tensors(item, true);
  }
}

/// A join whose condition is about tensors: of an inner one it goes to those of WHERE.
FromItemPtr Block::without_tensors(const FromItemPtr& item, bool is_inner) {
  const auto* const join = std::get_if<JoinReference>(&item->of);
  if (join == nullptr) {
    return item;
  }
  JoinReference other = *join;
  const bool inner = is_inner && (join->kind == JoinReference::Kind::inner ||
                                  join->kind == JoinReference::Kind::cross);
  other.left = without_tensors(join->left, inner);
  other.right = without_tensors(join->right, inner);
  for (const Name& name : join->using_columns) {
    TESSERA_USER_CHECK(rows_.is_plain(make_expression(ColumnReference{std::nullopt, name})),
                       "USING ({}): tensors are not compared by a join", name.text);
  }
  if (join->condition && !rows_.is_plain(join->condition)) {
    if (!inner) {
      throw_error(ErrorKind::unsupported,
                  "an outer join ON what tensors make; select such rows in a query within");
    }
    add_conjuncts(join->condition, conjuncts_);
    other.condition = make_expression(BooleanLiteral{true});
  }
  FromItem changed = *item;
  changed.of = std::move(other);
  return std::make_shared<const FromItem>(std::move(changed));
}

ExpressionPtr Block::meant(const ExpressionPtr& expression, bool columns_first) {
  if (const auto* number = std::get_if<NumberLiteral>(&expression->of);
      number != nullptr && number->is_integer) {
    const int64_t place = std::stoll(number->text);
    at(expression->span, [&] {
      TESSERA_USER_CHECK(place >= 1 && place <= static_cast<int64_t>(targets_.size()),
                         "there is no column {} to go by", place);
    });
    return targets_[static_cast<size_t>(place - 1)].expression;
  }
  const auto* const column = std::get_if<ColumnReference>(&expression->of);
  if (column != nullptr && !column->table &&
      !(columns_first && scope_.has_column(column->column.text))) {
    for (const Target& target : targets_) {
      if (target.alias && target.alias->text == column->column.text) {
        return target.expression;
      }
    }
  }
  return compiler_.prepared(expression, scope_);
}

void Block::find_targets() {
  for (const Target& target : select_.targets) {
    if (const auto* star = std::get_if<Star>(&target.expression->of)) {
      for (Target& column : scope_.columns_of(*star)) {
        targets_.push_back(std::move(column));
      }
    } else {
      targets_.push_back({compiler_.prepared(target.expression, scope_), target.alias});
    }
  }
  for (const ExpressionPtr& key : select_.group_by) {
    group_by_.push_back(meant(key, true));
  }
  for (const OrderKey& key : select_.order) {
    order_.push_back(key);
    order_.back().expression = meant(key.expression, false);
  }
  having_ = compiler_.prepared(select_.having, scope_);
  is_grouped_ = !group_by_.empty() || having_ || has_aggregates();
}

bool Block::has_aggregates() const {
  bool found = false;
  const auto look = [&](const ExpressionPtr& part) {
    const auto* const call = std::get_if<Call>(&part->of);
    found = found || (call != nullptr && !call->over &&
                      is_aggregate(call->function.text, compiler_.vocabulary()) &&
                      (call->arguments.size() == 1 || call->function.text == "count"));
    return !found;
  };
  for (const Target& target : targets_) {
    for_each(target.expression, look);
  }
  for (const OrderKey& key : order_) {
    for_each(key.expression, look);
  }
  return found;
}

void Block::make_rows() {
  std::vector<ExpressionPtr> simple;
  std::vector<ExpressionPtr> of_tensors;
  for (const ExpressionPtr& conjunct : conjuncts_) {
    if (rows_.is_plain(conjunct)) {
      simple.push_back(conjunct);
    } else {
      of_tensors.push_back(rows_.over_table(conjunct));
    }
  }
  for (const ExpressionPtr& key : group_by_) {
    group_keys_.push_back(sqlite_text(*rows_.over_table(key)));
  }
  if (is_grouped_) {
    groups_.emplace(rows_, compiler_.vocabulary());
  }
  find_outputs();
  GridKeys keys(simple, from_, group_by_);
  const bool may_be_grid =
      !select_.limit && order_.empty() && !select_.is_distinct && of_tensors.empty();
  std::vector<std::string> grid_keys;
  if (may_be_grid) {
    for (const ExpressionPtr& key : keys.representatives()) {
      if (rows_.is_plain(key)) {
        grid_keys.push_back(rows_.columns().add(key));
      }
    }
  }
  Select query;
  query.from = from_;
  query.where = all_of(std::move(simple));
  const std::string columns = rows_.columns().is_empty() ? "1 AS c0" : rows_.columns().text();
  query.targets.push_back(
      {make_expression(ColumnReference{std::nullopt, Name{"tessera_columns", {}}}), std::nullopt});
  std::string text = sqlite_text(query);
  text.replace(text.find("tessera_columns"), std::string("tessera_columns").size(), columns);
  table_ = compiler_.shared_relation(text);
  grid_ = {num_rows()};
  add_computed(rows_);
  if (ExpressionPtr condition = all_of(std::move(of_tensors))) {
    replace_table("*", " WHERE " + sqlite_text(*condition) + " ORDER BY rowid");
  }
  if (const std::optional<Shape> grid = compiler_.key_tables().grid(table_->table, grid_keys)) {
    replace_table("*", " ORDER BY " + list_of(grid_keys));
    grid_ = *grid;
  }
}

void Block::find_outputs() {
  for (size_t number = 0; number < targets_.size(); ++number) {
    const ExpressionPtr& expression = targets_[number].expression;
    Output output{name_of(targets_[number]), nullptr, std::nullopt};
    std::optional<TensorValue> tensor = level().tensor_of(expression);
    if (tensor && !tensor->is_number()) {
      output.tensor = std::move(tensor);
    } else {
      output.scalar = level().over_table(expression);
    }
    outputs_.push_back(std::move(output));
  }
  const auto is_constant = [](const OrderKey& key) {
    return std::holds_alternative<NumberLiteral>(key.expression->of) ||
           std::holds_alternative<StringLiteral>(key.expression->of) ||
           std::holds_alternative<NullLiteral>(key.expression->of);
  };
  order_.erase(std::remove_if(order_.begin(), order_.end(), is_constant), order_.end());
  for (OrderKey& key : order_) {
    key.expression = level().over_table(key.expression);
  }
  if (having_) {
    having_ = level().over_table(having_);
  }
}

RelationPtr compile_block(const Select& select, QueryCompiler& compiler) {
  return Block(select, compiler).compile();
}

}  // namespace tessera::sql
