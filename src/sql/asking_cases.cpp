#include "sql/asking_cases.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "frontend/sql/rewrite.h"
#include "sql/partial_functions.h"
#include "sql/query.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

bool has_value_queries(const ExpressionPtr& expression) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    found = found || std::holds_alternative<ScalarQuery>(part->of);
    return !found;
  });
  return found;
}

}  // namespace

bool asks_in_results(const Case& node) {
  return has_value_queries(node.otherwise) ||
         std::any_of(node.branches.begin(), node.branches.end(),
                     [](const Case::Branch& branch) { return has_value_queries(branch.result); });
}

/// True if a condition is one truth value for each row, the same wherever it is computed.
bool QueryCompiler::tells_rows(const ExpressionPtr& condition, const Scope& scope) const {
  bool is_of_rows = !draws(condition, vocabulary_.tensor_functions);
  for_each(condition, [&](const ExpressionPtr& part) {
    const auto* const call = std::get_if<Call>(&part->of);
    is_of_rows =
        is_of_rows && (call == nullptr || !call->over) && !is_aggregate_call(part, vocabulary_);
    return is_of_rows;
  });
  RandomKeys keys = random_keys_;
  const std::optional<TensorValue> value =
      is_of_rows ? Level(scope, vocabulary_, keys).tensor_of(condition) : std::nullopt;
  return is_of_rows && (!value || value->is_number());
}

/// A CASE that asks queries for what it gives: each is asked for the rows that take it.
ExpressionPtr QueryCompiler::prepared_case(const Case& node, SourceSpan span, Scope& scope) {
  Case other = node;
  other.operand = prepared(node.operand, scope);
  const Scope::AskedRows before = scope.asked_rows();
  Scope::AskedRows left = before;  // by the branches so far
  const auto prepared_for = [&](const ExpressionPtr& result, Scope::AskedRows rows) {
    scope.ask_for(std::move(rows));
    const ExpressionPtr made = prepared(result, scope);
    scope.ask_for(before);
    return made;
  };
  for (Case::Branch& branch : other.branches) {
    branch.condition = prepared(branch.condition, scope);
    const ExpressionPtr holds =
        other.operand ? make_expression(Operation{"=", {other.operand, branch.condition}})
                      : branch.condition;
    Scope::AskedRows taken = left;
    if (tells_rows(holds, scope)) {
      taken.conditions.push_back(holds);
      left.conditions.push_back(make_expression(Test{Test::Kind::true_, true, holds, nullptr}));
    }
    branch.result = prepared_for(branch.result, std::move(taken));
  }
  other.otherwise = prepared_for(other.otherwise, left);
  return make_expression(std::move(other), span);
}

}  // namespace tessera::sql
