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
#include "sql/partial_functions.h"
#include "sql/query.h"
#include "sql/scalar_types.h"
#include "sql/window_aggregates.h"
#include "sql/without_lookups.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr all_of(std::vector<ExpressionPtr> conditions) {
  if (conditions.empty()) {
    return nullptr;
  }
  return conditions.size() == 1
             ? conditions.front()
             : make_expression(Logical{Logical::Kind::all, std::move(conditions)});
}

/// c1, c2, …, by their expressions.
std::vector<Target> targets_of(const KeyColumns& columns) {
  std::vector<Target> targets;
  for (std::string name = "c1"; columns.has(name); name = fmt::format("c{}", targets.size() + 1)) {
    targets.push_back({columns.at(name), Name{name, {}}});
  }
  return targets;
}

std::string key_text(KeyRows rows) {
  if (rows.targets.empty()) {
    rows.targets.push_back({make_expression(NumberLiteral{"1", true}), Name{"c0", {}}});
  }
  Select query;
  query.from = std::move(rows.from);
  query.where = all_of(std::move(rows.conjuncts));
  query.targets = std::move(rows.targets);
  return sqlite_text(query);
}

}  // namespace

std::string list_of(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

RelationPtr Block::compile() {
  make_rows();
  if (select_.is_grouped) {
    make_groups();
  }
  order_rows();
  return result();
}

void Block::find_group_keys() {
  for (const ExpressionPtr& key : group_by_) {
    // Of tensors the row numbers are compared.
    group_keys_.push_back(rows_.tensor_rows(key) != nullptr ? rows_.columns().add(key)
                                                            : sqlite_text(*rows_.over_table(key)));
  }
  if (select_.is_grouped) {
    groups_.emplace(rows_, compiler_.vocabulary(), select_.constant_in_groups);
  }
}

std::vector<Block::RowStage> Block::row_stages() {
  const auto is_of_tensors = [&](const ExpressionPtr& one) { return !rows_.is_plain(one); };
  bool has_partial = false;  // a result that may have no value in a row that WHERE leaves out
  const auto look = [&](const ExpressionPtr& result) {
    has_partial = has_partial || (is_of_tensors(result) && may_fail(result));
  };
  for_each_result(select_, look);
  std::for_each(group_by_.begin(), group_by_.end(), look);
  std::vector<ExpressionPtr> total;
  std::vector<ExpressionPtr> partial;
  for (const ExpressionPtr& conjunct : select_.conjuncts) {
    if (is_of_tensors(conjunct)) {
      (may_fail(conjunct) ? partial : total).push_back(conjunct);
    }
  }
  for (ExpressionPtr& condition : total) {
    condition = rows_.over_table(condition);
  }
  std::vector<RowStage> stages;
  const auto add_stages = [&](ExpressionPtr condition) {
    const std::vector<RowStage> made = stages_of(rows_, std::move(condition));
    stages.insert(stages.end(), made.begin(), made.end());
  };
  if (partial.empty() && !has_partial) {  // results are computed with the conditions
    find_group_keys();
    find_outputs();
    add_stages(all_of(std::move(total)));
  } else {
    add_stages(all_of(std::move(total)));
    for (const ExpressionPtr& condition : partial) {
      add_stages(rows_.over_table(condition));
    }
    find_group_keys();
    find_outputs();
  }
  add_stages(nullptr);
  return stages;
}

std::vector<Block::RowStage> Block::stages_of(Level& level, ExpressionPtr condition) {
  std::vector<RowStage> stages;
  for (Level::ComputedStage& computed : level.take_computed()) {
    stages.push_back({std::move(computed), nullptr});
  }
  if (condition && stages.empty()) {
    stages.emplace_back();
  }
  if (condition) {
    stages.back().condition = std::move(condition);
  }
  return stages;
}

void Block::make_rows() {
  std::vector<ExpressionPtr> simple;
  for (const ExpressionPtr& conjunct : select_.conjuncts) {
    if (rows_.is_plain(conjunct)) {
      simple.push_back(rows_.of_rows_with_nan(conjunct));
    }
  }
  const std::vector<RowStage> stages = row_stages();
  const bool leaves_rows_out = std::any_of(stages.begin(), stages.end(),
                                           [](const RowStage& stage) { return stage.condition; });
  GridKeys keys(simple, select_.from, group_by_);
  const bool may_be_grid =
      !select_.limit && order_.empty() && !select_.is_distinct && !leaves_rows_out;
  KeyRows rows = without_lookups({select_.from, std::move(simple), targets_of(rows_.columns())},
                                 select_.scope, connection());
  std::vector<std::string> grid_keys;
  if (may_be_grid && !rows.has_left_out) {  // what is looked up is data
    for (const ExpressionPtr& key : keys.representatives()) {
      if (rows_.is_plain(key)) {
        grid_keys.push_back(rows_.columns().add(key));
      }
    }
    rows.targets = targets_of(rows_.columns());
  }
  const std::string text = key_text(std::move(rows));
  table_ = stages.empty() && grid_keys.empty() && wants_numbers_alone()
               ? compiler_.shared_numbers(text)
               : add_window_aggregates(compiler_.shared_relation(text), rows_.windows(), compiler_);
  grid_ = {num_rows()};
  for (const RowStage& stage : stages) {
    add_computed(rows_, stage);
  }
  if (const std::optional<Shape> grid = compiler_.key_tables().grid(table_->table, grid_keys)) {
    replace_table("*", " ORDER BY " + list_of(grid_keys));
    grid_ = *grid;
  }
}

bool Block::wants_numbers_alone() {
  const bool is_as_it_is = !select_.is_grouped && !select_.is_distinct && order_.empty() &&
                           !select_.limit && !select_.offset && rows_.windows().empty();
  return is_as_it_is && std::all_of(outputs_.begin(), outputs_.end(), [&](const Output& output) {
           return output.tensor || rows_.columns().has(sqlite_text(*output.scalar));
         });
}

void Block::find_outputs() {
  for (size_t number = 0; number < select_.targets.size(); ++number) {
    const ExpressionPtr& expression = select_.targets[number].expression;
    Output output{name_of(select_.targets[number]), nullptr, std::nullopt};
    output.span = expression->span;
    std::optional<TensorValue> tensor = level().tensor_of(expression);
    if (tensor && !tensor->is_number()) {
      output.tensor = std::move(tensor);
    } else {
      output.type = tensor ? type_of_number(tensor->term.type.dtype)
                           : scalar_type_of(expression, select_.scope);
      output.scalar = level().over_table(expression);
      output.may_be_nan = level().may_be_nan_over_table(output.scalar);
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

RelationPtr compile_block(const BoundSelect& select, QueryCompiler& compiler) {
  return Block(select, compiler).compile();
}

}  // namespace tessera::sql
