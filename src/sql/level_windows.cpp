#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "sql/level.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// Whether a window function gives one of the values that it is given: SQLite then gives the row
/// number of a tensor.
bool gives_what_it_takes(const Call& call) {
  static const std::set<std::string> names{"lag", "lead", "first_value", "last_value", "nth_value"};
  return call.over != nullptr && names.count(call.function.text) != 0;
}

/// `lag(v, 1, w)`: what there is where no row is so far away.
bool has_default(const Call& call) {
  return call.function.text != "nth_value" && call.arguments.size() > 2;
}

/// The same as a choice, by whether there is such a row: its tensor may be NULL.
Case with_default(const Call& call) {
  Call picked = call;
  picked.arguments.pop_back();
  Call row = picked;
  row.arguments.front() = make_expression(NumberLiteral{"1", true});
  const ExpressionPtr is_there =
      make_expression(Test{Test::Kind::null, true, make_expression(std::move(row)), nullptr});
  return {nullptr, {{is_there, make_expression(std::move(picked))}}, call.arguments.back()};
}

void check_window(const Window& window) {
  if (window.frame && window.frame->exclusion != WindowFrame::Exclusion::none) {
    throw_error(ErrorKind::unsupported, "EXCLUDE of a window over tensors");
  }
}

}  // namespace

const TensorRows* Level::tensor_rows(const ExpressionPtr& expression) const {
  if (const RelationColumn* const column = scope_->find_tensor(expression)) {
    return &*column->tensor;
  }
  const auto* const call = std::get_if<Call>(&expression->of);
  return call != nullptr && gives_what_it_takes(*call) && !call->arguments.empty() &&
                 !has_default(*call)
             ? tensor_rows(call->arguments[0])
             : nullptr;
}

/// Whether a window function is about tensors: its partitions are not, as row numbers tell them
/// apart.
bool Level::is_window_of_tensors(const Call& call) const {
  const auto is_of_tensors = [&](const ExpressionPtr& part) { return part && has_tensors(part); };
  return std::any_of(call.arguments.begin(), call.arguments.end(), is_of_tensors) ||
         is_of_tensors(call.filter) ||
         std::any_of(call.over->order.begin(), call.over->order.end(),
                     [&](const OrderKey& key) { return is_of_tensors(key.expression); });
}

/// Tensors that are there already, of which SQLite says the row number.
/// The column with the row numbers of a column of tensors.
std::string Level::row_number(const ExpressionPtr& expression) {
  const auto* const column = std::get_if<ColumnReference>(&expression->of);
  if (rows_ == nullptr || column == nullptr) {
    return columns_.add(expression);
  }
  TESSERA_USER_CHECK(constant_in_groups_.count(column->column.text) != 0,
                     "tensors must be in an aggregate or grouped by, as there are groups");
  const ExpressionPtr of_rows =
      make_expression(ColumnReference{std::nullopt, Name{rows_->columns_.add(expression), {}}});
  return columns_.add(make_expression(Call{Name{"min", {}}, {of_rows}}));
}

Term Level::column_term(const ExpressionPtr& expression, Reading& reading) {
  const TensorRows& tensor = *tensor_rows(expression);
  if (const auto* const call = std::get_if<Call>(&expression->of)) {
    check_window(*call->over);
  }
  return leaf_term(std::make_shared<TensorLeaf>(TensorLeaf{tensor, row_number(expression)}),
                   reading);
}

/// An aggregate of tensors over a window. What it takes and what its window says are columns.
Term Level::window_term(const Call& node, Reading& reading) {
  if (const auto known = aggregate_leaves_.find(&node); known != aggregate_leaves_.end()) {
    return leaf_term(known->second, reading);
  }
  if (gives_what_it_takes(node) && has_default(node)) {
    return case_term(with_default(node), reading);
  }
  const std::string function = aggregate_name(node.function.text);
  const expr::Aggregate* const aggregate = vocabulary_.aggregates.find(function);
  const bool is_position = function == "argmax" || function == "argmin";
  if (aggregate == nullptr || is_position || node.is_distinct || node.arguments.size() != 1) {
    throw_error(ErrorKind::unsupported, "{} of tensors OVER a window", node.function.text);
  }
  check_window(*node.over);
  WindowAggregate merged;
  merged.function = function;
  Reading own{{}, reading.labels, nullptr};
  const Term term = term_of(node.arguments[0], own);
  merged.value = own.last_leaf;
  const auto column_of = [&](const ExpressionPtr& expression) {
    return make_expression(ColumnReference{std::nullopt, Name{columns_.add(expression), {}}});
  };
  merged.window.frame = node.over->frame;
  for (const ExpressionPtr& key : node.over->partition) {
    merged.window.partition.push_back(column_of(key));
  }
  for (OrderKey key : node.over->order) {
    key.expression = column_of(key.expression);
    merged.window.order.push_back(std::move(key));
  }
  if (node.filter) {
    merged.filter = columns_.add(node.filter);
  }
  merged.dtype = (is_sum(function) ? summable(term) : term).type.dtype;
  const ArrayType element{aggregate->bind(merged.dtype).result(), term.type.shape};
  merged.result = std::make_shared<TensorLeaf>(
      TensorLeaf{{"", {}, element}, fmt::format("cw{}", windows_.size() + 1)});
  aggregate_leaves_[&node] = merged.result;
  windows_.push_back(merged);
  return leaf_term(merged.result, reading);
}

}  // namespace tessera::sql
