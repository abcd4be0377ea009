#include "sql/dates.h"

#include <optional>
#include <utility>

#include "frontend/sql/rewrite.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

ExpressionPtr call_of(const char* function, std::vector<ExpressionPtr> arguments) {
  return make_expression(Call{Name{function, {}}, std::move(arguments)});
}

ExpressionPtr operation(const char* symbol, std::vector<ExpressionPtr> operands) {
  return make_expression(Operation{symbol, std::move(operands)});
}

ExpressionPtr text(const char* what) {
  return make_expression(StringLiteral{what});
}

ExpressionPtr shifted(const ExpressionPtr& date, const ExpressionPtr& num_days) {
  return call_of("date", {date, operation("||", {num_days, text(" days")})});
}

ExpressionPtr days_between(const ExpressionPtr& date, const ExpressionPtr& other) {
  const ExpressionPtr days =
      operation("-", {call_of("julianday", {date}), call_of("julianday", {other})});
  return make_expression(Cast{days, TypeName{Name{"int8", {}}, {}, {}}});
}

/// Where it is not known what is taken from a date, its value tells.
ExpressionPtr difference(const ExpressionPtr& date, const ExpressionPtr& other) {
  const ExpressionPtr is_date = operation("=", {call_of("typeof", {other}), text("text")});
  return make_expression(Case{
      nullptr, {{is_date, days_between(date, other)}}, shifted(date, operation("-", {other}))});
}

}  // namespace

ExpressionPtr with_dates(const ExpressionPtr& expression, const Scope& scope,
                         const TypeOfValue& type_of_value,
                         const std::function<ExpressionPtr(const ExpressionPtr&)>& prepared) {
  const auto* const node = std::get_if<Operation>(&expression->of);
  const bool is_sum = node != nullptr && node->symbol == "+";
  if (node == nullptr || node->operands.size() != 2 || (!is_sum && node->symbol != "-")) {
    return nullptr;
  }
  const std::optional<ScalarType> left = scalar_type_of(node->operands[0], scope, type_of_value);
  const std::optional<ScalarType> right = scalar_type_of(node->operands[1], scope, type_of_value);
  if (left != ScalarType::date && right != ScalarType::date) {
    return nullptr;
  }
  const ExpressionPtr one = prepared(node->operands[0]);
  const ExpressionPtr other = prepared(node->operands[1]);
  if (is_sum) {
    return left == ScalarType::date ? shifted(one, other) : shifted(other, one);
  }
  return right == ScalarType::date ? days_between(one, other)
         : right                   ? shifted(one, operation("-", {other}))
                                   : difference(one, other);
}

}  // namespace tessera::sql
