#include "sql/dates.h"

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
#include "sql/number_text.h"
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
  if (std::holds_alternative<StringLiteral>(operand->of)) {
    return make_expression(Cast{operand, TypeName{Name{"date", {}}, {}, {}}}, operand->span);
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

/// Casts that depend on what is cast: no number is a date, and a text may say infinity or NaN.
ExpressionPtr with_cast(const ExpressionPtr& expression, const Cast& cast,
                        std::optional<ScalarType> type,
                        const std::function<ExpressionPtr(const ExpressionPtr&)>& prepared) {
  const std::string& to = cast.type.name.text;
  if (to == "date" && (is_number_type(type) || type == ScalarType::boolean)) {
    refuse(expression, "a number is cast to a date");
  }
  const std::optional<ScalarType> target = database::parse_scalar_type(to);
  if (type == ScalarType::date && (is_number_type(target) || target == ScalarType::boolean)) {
    refuse(expression, "a date is cast to a number");
  }
  const bool is_float = to == "float4" || to == "float8";
  const bool is_written = std::holds_alternative<StringLiteral>(cast.operand->of);
  return is_float && cast.type.extents.empty() && type == ScalarType::text && !is_written
             ? call_of("float_of", {prepared(cast.operand)})
             : nullptr;
}

/// Converts the operand that a date is compared with. A text becomes a date; a number is refused.
ExpressionPtr compared(const ExpressionPtr& other, std::optional<ScalarType> type) {
  if (is_number_type(type) || type == ScalarType::boolean) {
    refuse(other, "a date is compared with a number");
  }
  return std::holds_alternative<StringLiteral>(other->of) ? as_date(other, type) : other;
}

/// True if an operand is a quoted number, infinities and NaN included.
bool is_written_number(const ExpressionPtr& expression) {
  const auto* const written = std::get_if<StringLiteral>(&expression->of);
  return written != nullptr && float_in(written->text).has_value();
}

/// Converts the operands of a comparison: texts beside a date to dates, and quoted numbers beside a
/// float to floats. Null for all other comparisons.
template <class Node>
ExpressionPtr with_comparison(const ExpressionPtr& expression, Node& node,
                              const std::vector<ExpressionPtr*>& operands, const Scope& scope,
                              const TypeOfValue& type_of_value,
                              const std::function<ExpressionPtr(const ExpressionPtr&)>& prepared) {
  std::vector<std::optional<ScalarType>> types;
  for (const ExpressionPtr* const operand : operands) {
    types.push_back(scalar_type_of(*operand, scope, type_of_value));
  }
  if (std::count(types.begin(), types.end(), ScalarType::date) == 0) {
    const auto is_text = [](const ExpressionPtr* operand) { return is_written_number(*operand); };
    if (std::count(types.begin(), types.end(), ScalarType::real) == 0 ||
        std::none_of(operands.begin(), operands.end(), is_text)) {
      return nullptr;
    }
    for (ExpressionPtr* const operand : operands) {
      *operand = prepared(
          is_text(operand) ? make_expression(Cast{*operand, TypeName{Name{"float8", {}}, {}, {}}},
                                             (*operand)->span)
                           : *operand);
    }
    return make_expression(node, expression->span);
  }
  for (size_t place = 0; place < operands.size(); ++place) {
    *operands[place] = prepared(compared(*operands[place], types[place]));
  }
  return make_expression(node, expression->span);
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

/// Operations with dates, and `%` of floats, which is SQLite's of whole numbers.
ExpressionPtr with_operation(const ExpressionPtr& expression, const Operation& node,
                             const Scope& scope, const TypeOfValue& type_of_value,
                             const std::function<ExpressionPtr(const ExpressionPtr&)>& prepared) {
  const auto type_of = [&](const ExpressionPtr& part) {
    return scalar_type_of(part, scope, type_of_value);
  };
  static const std::set<std::string> comparisons{"=", "<>", "<", "<=", ">", ">="};
  if (comparisons.count(node.symbol) != 0) {
    Operation other = node;
    const std::vector<ExpressionPtr*> operands{&other.operands[0], &other.operands[1]};
    return with_comparison(expression, other, operands, scope, type_of_value, prepared);
  }
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
  if (node.symbol == "%" && is_number_type(left) && is_number_type(right) &&
      (left == ScalarType::real || right == ScalarType::real)) {
    return call_of("mod", {prepared(node.operands[0]), prepared(node.operands[1])});
  }
  if (left != ScalarType::date && right != ScalarType::date) {
    return nullptr;
  }
  const bool is_sum = node.symbol == "+";
  if ((!is_sum && node.symbol != "-") || (is_sum && left == right) ||
      (!is_sum && right == ScalarType::date && is_number_type(left))) {
    refuse_arithmetic(expression, node);
  }
  if (const ExpressionPtr date = as_date(node.operands[0], left)) {
    return with_dates(
        make_expression(Operation{node.symbol, {date, node.operands[1]}}, expression->span), scope,
        type_of_value, prepared);
  }
  if (const ExpressionPtr date = as_date(node.operands[1], right)) {
    return with_dates(
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

ExpressionPtr with_dates(const ExpressionPtr& expression, const Scope& scope,
                         const TypeOfValue& type_of_value,
                         const std::function<ExpressionPtr(const ExpressionPtr&)>& prepared) {
  return std::visit(
      Overload{[&](const Cast& node) {
                 const auto type = scalar_type_of(node.operand, scope, type_of_value);
                 return with_cast(expression, node, type, prepared);
               },
               [&](const Call& node) {
                 refuse_call(expression, node, scope, type_of_value);
                 return ExpressionPtr();
               },
               [&](const Between& node) {
                 Between other = node;
                 return with_comparison(expression, other,
                                        {&other.operand, &other.low, &other.high}, scope,
                                        type_of_value, prepared);
               },
               [&](const Test& node) {
                 Test other = node;
                 return node.kind != Test::Kind::distinct
                            ? nullptr
                            : with_comparison(expression, other, {&other.operand, &other.other},
                                              scope, type_of_value, prepared);
               },
               [&](const In& node) {
                 In other = node;
                 std::vector<ExpressionPtr*> operands{&other.operand};
                 for (ExpressionPtr& element : other.elements) {
                   operands.push_back(&element);
                 }
                 return node.query ? nullptr
                                   : with_comparison(expression, other, operands, scope,
                                                     type_of_value, prepared);
               },
               [&](const Operation& node) {
                 return with_operation(expression, node, scope, type_of_value, prepared);
               },
               [](const auto&) { return ExpressionPtr(); }},
      expression->of);
}

}  // namespace tessera::sql
