#include "sql/date_arithmetic.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "sql/quoted_literals.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

constexpr std::string_view kArithmetic = "+-*/%^&|";

bool is_number_type(std::optional<ScalarType> type) {
  return type == ScalarType::integer || type == ScalarType::real;
}

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
  return call_of("date_plus", {date, num_days});
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

[[noreturn]] void refuse(const ExpressionPtr& expression, const std::string& what) {
  at(expression->span, [&] {
    throw_error(ErrorKind::user,
                "{}; a date may have days added or taken away, and another date "
                "taken away",
                what);
  });
  throw_error(ErrorKind::internal, "a refusal did not end");
}

/// A text that is written out beside a date is one; other texts say no type of theirs.
ExpressionPtr as_date(const ExpressionPtr& operand, std::optional<ScalarType> type) {
  if (is_quoted(operand)) {
    return literal_of_type(operand, ScalarType::date);
  }
  if (type == ScalarType::text) {
    refuse(operand, "a text stands beside a date, where it is to be cast: text::date");
  }
  return nullptr;
}

/// Refuses what has no value for dates: SQLite would compute with their years.
[[noreturn]] void refuse_arithmetic(const ExpressionPtr& expression, const Operation& node) {
  refuse(expression, fmt::format("there is no {} {} a date", node.symbol,
                                 node.operands.size() == 1 ? "of" : "with"));
}

void refuse_call(const ExpressionPtr& expression, const Call& call, const Scope& scope,
                 const TypeOfValue& type_of_value) {
  static const std::set<std::string> of_numbers{
      "sum",         "avg",        "total",  "abs",  "round",    "sqrt",    "exp", "ln",
      "stddev",      "variance",   "floor",  "ceil", "var_samp", "var_pop", "sin", "cos",
      "stddev_samp", "stddev_pop", "median", "sign", "power",    "mod"};
  if (of_numbers.count(call.function.text) != 0 && !call.arguments.empty() &&
      scalar_type_of(call.arguments.front(), scope, type_of_value) == ScalarType::date) {
    refuse(expression, "there is no " + call.function.text + " of a date");
  }
}

/// Refuses casts between dates and numbers.
void refuse_cast(const ExpressionPtr& expression, const Cast& cast,
                 std::optional<ScalarType> type) {
  const std::optional<ScalarType> target = database::parse_scalar_type(cast.type.name.text);
  const auto is_number = [](std::optional<ScalarType> one) {
    return is_number_type(one) || one == ScalarType::boolean;
  };
  if (target == ScalarType::date && is_number(type)) {
    refuse(expression, "a number is cast to a date");
  }
  if (type == ScalarType::date && is_number(target)) {
    refuse(expression, "a date is cast to a number");
  }
}

/// True if a value is a number that tensors make.
bool is_of_tensors(const ExpressionPtr& expression, const Scope& scope) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    found = found || scope.find_tensor(part) != nullptr ||
            std::holds_alternative<ArrayLiteral>(part->of);
    return !found;
  });
  return found;
}

/// Returns sums and differences with dates. Null for other operations.
ExpressionPtr with_operation(const ExpressionPtr& expression, const Operation& node,
                             const Scope& scope, const TypeOfValue& type_of_value,
                             const PreparesOperand& prepared) {
  const auto type_of = [&](const ExpressionPtr& part) {
    return scalar_type_of(part, scope, type_of_value);
  };
  if (kArithmetic.find(node.symbol) == kArithmetic.npos) {
    return nullptr;
  }
  const std::optional<ScalarType> left = type_of(node.operands[0]);
  if (node.operands.size() == 1) {
    if (left == ScalarType::date) {
      refuse_arithmetic(expression, node);
    }
    return nullptr;
  }
  const std::optional<ScalarType> right = type_of(node.operands[1]);
  if (left != ScalarType::date && right != ScalarType::date) {
    return nullptr;
  }
  const bool is_sum = node.symbol == "+";
  if ((!is_sum && node.symbol != "-") || (is_sum && left == right) ||
      (!is_sum && right == ScalarType::date && is_number_type(left))) {
    refuse_arithmetic(expression, node);
  }
  if (const ExpressionPtr date = as_date(node.operands[0], left)) {
    return with_date_arithmetic(
        make_expression(Operation{node.symbol, {date, node.operands[1]}}, expression->span), scope,
        type_of_value, prepared);
  }
  if (const ExpressionPtr date = as_date(node.operands[1], right)) {
    return with_date_arithmetic(
        make_expression(Operation{node.symbol, {node.operands[0], date}}, expression->span), scope,
        type_of_value, prepared);
  }
  const ExpressionPtr one = prepared(node.operands[0]);
  const ExpressionPtr other = prepared(node.operands[1]);
  if (is_sum) {
    return left == ScalarType::date ? shifted(one, other) : shifted(other, one);
  }
  return right == ScalarType::date                         ? days_between(one, other)
         : right || is_of_tensors(node.operands[1], scope) ? shifted(one, operation("-", {other}))
                                                           : difference(one, other);
}

}  // namespace

ExpressionPtr with_date_arithmetic(const ExpressionPtr& expression, const Scope& scope,
                                   const TypeOfValue& type_of_value,
                                   const PreparesOperand& prepared) {
  return std::visit(
      Overload{[&](const Cast& node) {
                 refuse_cast(expression, node, scalar_type_of(node.operand, scope, type_of_value));
                 return ExpressionPtr();
               },
               [&](const Call& node) {
                 refuse_call(expression, node, scope, type_of_value);
                 return ExpressionPtr();
               },
               [&](const Operation& node) {
                 return with_operation(expression, node, scope, type_of_value, prepared);
               },
               [](const auto&) { return ExpressionPtr(); }},
      expression->of);
}

}  // namespace tessera::sql
