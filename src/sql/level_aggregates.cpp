#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "sql/level.h"
#include "sql/tensor_building.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

bool is_sum(const std::string& aggregate) {
  return aggregate == "sum" || aggregate == "prod";
}

std::string aggregate_name(const std::string& name) {
  static const std::map<std::string, std::string> of_sql{
      {"avg", "mean"}, {"bool_or", "any"}, {"bool_and", "all"}, {"every", "all"}};
  const auto found = of_sql.find(name);
  return found == of_sql.end() ? name : found->second;
}

bool is_aggregate(const std::string& name, const Vocabulary& vocabulary) {
  static const std::set<std::string> of_sql{
      "sum",          "avg",        "min",         "max",        "count",    "total",
      "group_concat", "stddev",     "stddev_samp", "stddev_pop", "variance", "var_samp",
      "var_pop",      "string_agg", "median",      "bool_or",    "bool_and", "every"};
  return of_sql.count(name) != 0 || vocabulary.aggregates.find(name) != nullptr;
}

bool is_aggregate_call(const ExpressionPtr& expression, const Vocabulary& vocabulary) {
  const auto* const call = std::get_if<Call>(&expression->of);
  if (call == nullptr || call->over || call->arguments.empty()) {
    return false;
  }
  const std::string& name = call->function.text;
  const bool takes_any_number = name == "count" || name == "string_agg" || name == "group_concat";
  return builds_tensors(name) ||
         (is_aggregate(name, vocabulary) && (call->arguments.size() == 1 || takes_any_number));
}

bool Level::is_tensor_aggregate(const ExpressionPtr& expression) const {
  const auto* const call = std::get_if<Call>(&expression->of);
  if (call == nullptr || rows_ == nullptr || call->over || call->function.text == "count" ||
      !is_aggregate(call->function.text, vocabulary_) || call->arguments.size() != 1 ||
      !rows_->has_tensors(call->arguments[0])) {
    return false;
  }
  const std::optional<TensorValue> value = rows_->tensor_of(call->arguments[0]);
  return value && !value->is_number();
}

/// Whether a count(DISTINCT …) is one of row numbers, which are equal where the tensors are.
bool Level::counts_equal_rows(const Call& call) const {
  const RelationColumn* const column =
      call.arguments.size() == 1 ? scope_->find_tensor(call.arguments[0]) : nullptr;
  return column != nullptr && column->is_same_if_equal;
}

/// 1, or NULL where a tensor is, which is all that counting asks.
ExpressionPtr Level::unless_null(const ExpressionPtr& tensor) {
  const ExpressionPtr is_null =
      null_test({Test::Kind::null, false, tensor, nullptr}, *tensor_of(tensor));
  return make_expression(Case{nullptr,
                              {{is_null, make_expression(NullLiteral())}},
                              make_expression(NumberLiteral{"1", true})});
}

ExpressionPtr Level::aggregate_over_table(const Call& call, SourceSpan span) {
  Call over = call;
  for (ExpressionPtr& argument : over.arguments) {
    if (std::holds_alternative<Star>(argument->of)) {
      continue;
    }
    if (is_tensor_column(argument)) {
      argument = make_expression(ColumnReference{std::nullopt, Name{columns_.add(argument), {}}});
    } else if (call.function.text == "count" && !call.is_distinct && is_tensor(argument)) {
      argument = unless_null(argument);
    } else {
      argument = over_table(argument);
    }
  }
  for (OrderKey& key : over.order) {
    key.expression = over_table(key.expression);
  }
  if (over.filter) {
    over.filter = over_table(over.filter);
  }
  return make_expression(std::move(over), span);
}

Term Level::aggregate_term(const Call& node, Reading& reading) {
  if (const auto known = aggregate_leaves_.find(&node); known != aggregate_leaves_.end()) {
    return leaf_term(known->second, reading);
  }
  const std::string function = aggregate_name(node.function.text);
  const expr::Aggregate* const aggregate = vocabulary_.aggregates.find(function);
  if (aggregate == nullptr || node.is_distinct || !node.order.empty()) {
    throw_error(ErrorKind::unsupported, "{}({}…) of tensors", node.function.text,
                node.is_distinct ? "DISTINCT " : "");
  }
  TensorValue value = *rows_->tensor_of(node.arguments[0]);
  if (is_sum(function)) {
    value.term = summable(value.term);
  }
  if (node.filter) {
    Case only{nullptr, {{node.filter, make_expression(NumberLiteral{"1", true})}}, nullptr};
    const ExpressionPtr condition = make_expression(std::move(only));
    if (!rows_->is_plain(condition)) {
      throw_error(ErrorKind::unsupported,
                  "FILTER by what tensors make, of an aggregate of tensors; select such rows in a "
                  "query within");
    }
    const ExpressionPtr column = rows_->over_table(condition);
    value.reads.push_back(std::get<ColumnReference>(column->of).column.text);
  }
  const expr::BoundAggregate bound = aggregate->bind(value.term.type.dtype);
  // The group's number, or NULL where all that would be merged is NULL.
  Case::Branch none{make_expression(NullLiteral()), make_expression(NullLiteral())};
  std::vector<ExpressionPtr> nulls;
  for (const std::string& column : value.reads) {
    nulls.push_back(make_expression(
        Test{Test::Kind::null, false,
             make_expression(ColumnReference{std::nullopt, Name{column, {}}}), nullptr}));
  }
  const ExpressionPtr group = make_expression(ColumnReference{std::nullopt, Name{kGroup, {}}});
  ExpressionPtr number = group;
  if (!nulls.empty()) {
    none.condition = make_expression(Logical{Logical::Kind::any, std::move(nulls)});
    number = make_expression(Case{nullptr, {none}, group});
  }
  Call smallest{Name{"min", {}}, {number}, false, {}, nullptr, nullptr};
  auto leaf = std::make_shared<TensorLeaf>(TensorLeaf{
      {"", {}, {bound.result(), value.term.type.shape}}, columns_.add(make_expression(smallest))});
  aggregates_.push_back({function, std::move(value), leaf, node.arguments[0]->span});
  aggregate_leaves_[&node] = leaf;
  return leaf_term(leaf, reading);
}

}  // namespace tessera::sql
