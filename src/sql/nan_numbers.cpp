#include "sql/nan_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "sql/number_text.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::Value;

namespace {

constexpr const char* kNan = "nan_value";         // of nothing
constexpr const char* kIsNan = "nan_is";          // 1 or 0, also where one is NULL
constexpr const char* kFloat = "nan_float";       // what a column of floats holds of a value
constexpr const char* kWhole = "nan_no_integer";  // the number itself
constexpr const char* kPower = "nan_power";

/// The names of our functions by the operators that they stand for.
const std::map<std::string, std::string>& arithmetic() {
  static const std::map<std::string, std::string> names{{"+", "nan_add"},
                                                        {"-", "nan_subtract"},
                                                        {"*", "nan_multiply"},
                                                        {"/", "nan_divide"},
                                                        {"%", "nan_remainder"}};
  return names;
}

/// True for a function of SQLite's whose result is NaN if an argument is.
bool is_function_of_numbers(const std::string& function) {
  static const std::set<std::string> names{
      "abs",   "round", "sqrt", "exp",  "ln",    "log",     "log10",   "log2",    "ceil", "floor",
      "trunc", "sin",   "cos",  "tan",  "asin",  "acos",    "atan",    "atan2",   "sinh", "cosh",
      "tanh",  "asinh", "mod",  "sign", "acosh", "ceiling", "radians", "degrees", "atanh"};
  return names.count(function) != 0;
}

bool is_float_type(const std::string& name) {
  return name == "float8" || name == "float4" || name == "numeric";
}

bool is_integer_type(const std::string& name) {
  return name == "int2" || name == "int4" || name == "int8";
}

ExpressionPtr nan_call(const char* function, std::vector<ExpressionPtr> arguments,
                       SourceSpan span = {}) {
  return make_expression(Call{Name{function, {}}, std::move(arguments)}, span);
}

/// The expression, or another one if one of these numbers is NaN and none is NULL.
ExpressionPtr where_nan(const std::vector<ExpressionPtr>& numbers, ExpressionPtr other,
                        const ExpressionPtr& expression) {
  return make_expression(Case{nullptr, {{nan_call(kIsNan, numbers), std::move(other)}}, expression},
                         expression->span);
}

ExpressionPtr unless_nan(const std::vector<ExpressionPtr>& numbers,
                         const ExpressionPtr& expression) {
  return where_nan(numbers, nan_call(kNan, {}), expression);
}

bool any_may_be(const std::vector<ExpressionPtr>& expressions, const MayBeNan& leaf) {
  return std::any_of(expressions.begin(), expressions.end(), [&](const ExpressionPtr& expression) {
    return expression && may_be_nan(expression, leaf);
  });
}

ExpressionPtr operation_with_nan(const Operation& node, const ExpressionPtr& whole,
                                 const MayBeNan& leaf) {
  const auto known = arithmetic().find(node.symbol);
  if (known == arithmetic().end() || !any_may_be(node.operands, leaf)) {
    return whole;
  }
  std::vector<ExpressionPtr> operands = node.operands;
  if (operands.size() == 1) {
    operands.insert(operands.begin(), make_expression(NumberLiteral{"0", true}));
  }
  return nan_call(known->second.c_str(), std::move(operands), whole->span);
}

ExpressionPtr cast_with_nan(const Cast& node, const ExpressionPtr& whole, const MayBeNan& leaf) {
  if (!may_be_nan(node.operand, leaf)) {
    return whole;
  }
  if (is_integer_type(node.type.name.text)) {
    Cast other = node;
    other.operand = nan_call(kWhole, {node.operand});
    return make_expression(std::move(other), whole->span);
  }
  return is_float_type(node.type.name.text) ? unless_nan({node.operand}, whole) : whole;
}

/// The call with `NaN`, the text, in the place of numbers that are: JSON has no such number.
ExpressionPtr with_nan_as_text(const Call& node, const ExpressionPtr& whole, const MayBeNan& leaf) {
  Call other = node;
  for (ExpressionPtr& argument : other.arguments) {
    if (may_be_nan(argument, leaf)) {
      argument = where_nan({argument}, make_expression(StringLiteral{"NaN"}), argument);
    }
  }
  return make_expression(std::move(other), whole->span);
}

ExpressionPtr call_with_nan(const Call& node, const ExpressionPtr& whole, const MayBeNan& leaf) {
  const std::string& function = node.function.text;
  if (node.over || !any_may_be(node.arguments, leaf)) {
    return whole;
  }
  if (function.starts_with("json_")) {
    return with_nan_as_text(node, whole, leaf);
  }
  if (function == "typeof" && node.arguments.size() == 1) {
    return where_nan(node.arguments, make_expression(StringLiteral{"real"}), whole);
  }
  if ((function == "pow" || function == "power") && node.arguments.size() == 2) {
    return nan_call(kPower, node.arguments, whole->span);
  }
  return is_function_of_numbers(function) ? unless_nan(node.arguments, whole) : whole;
}

bool is_null_value(const Value& value) {
  return std::holds_alternative<std::monostate>(value);
}

double double_in(const Value& value) {
  const auto* const integer = std::get_if<int64_t>(&value);
  const auto* const number = std::get_if<double>(&value);
  return integer != nullptr  ? static_cast<double>(*integer)
         : number != nullptr ? *number
                             : std::strtod(std::get<std::string>(value).c_str(), nullptr);
}

/// Computes with integers as SQLite does: an overflow gives a float, a division by 0 gives NULL.
Value of_integers(char symbol, int64_t one, int64_t other) {
  int64_t result = 0;
  const bool is_lowest = one == std::numeric_limits<int64_t>::min() && other == -1;
  if (symbol == '/' || symbol == '%') {
    return other == 0      ? Value()
           : is_lowest     ? (symbol == '%' ? Value(int64_t{0}) : Value(-static_cast<double>(one)))
           : symbol == '/' ? Value(one / other)
                           : Value(one % other);
  }
  const bool overflows = symbol == '+'   ? __builtin_add_overflow(one, other, &result)
                         : symbol == '-' ? __builtin_sub_overflow(one, other, &result)
                                         : __builtin_mul_overflow(one, other, &result);
  if (!overflows) {
    return result;
  }
  const auto left = static_cast<double>(one);
  const auto right = static_cast<double>(other);
  return symbol == '+' ? left + right : symbol == '-' ? left - right : left * right;
}

bool is_nan_value(const Value& value) {
  const auto* const number = std::get_if<double>(&value);
  return number != nullptr && std::isnan(*number);
}

/// The power as SQLite has it, NULL of a negative number's root, but of NaN too.
Value power_with_nan(std::span<const Value> arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), is_null_value)) {
    return {};
  }
  const double power = std::pow(double_in(arguments[0]), double_in(arguments[1]));
  const bool is_known =
      !std::isnan(power) || std::any_of(arguments.begin(), arguments.end(), is_nan_value);
  return is_known ? Value(power) : Value();
}

}  // namespace

Value value_with_nan(char symbol, const Value& one, const Value& other) {
  if (is_null_value(one) || is_null_value(other)) {
    return {};
  }
  const auto* const left = std::get_if<int64_t>(&one);
  const auto* const right = std::get_if<int64_t>(&other);
  if (left != nullptr && right != nullptr) {
    return of_integers(symbol, *left, *right);
  }
  const double x = double_in(one);
  const double y = double_in(other);
  if (symbol == '%') {  // of whole parts
    const double whole = std::trunc(y);
    return std::isnan(x) || std::isnan(y) ? Value(std::numeric_limits<double>::quiet_NaN())
           : whole == 0                   ? Value()
                                          : Value(std::fmod(std::trunc(x), whole));
  }
  return symbol == '+' ? x + y : symbol == '-' ? x - y : symbol == '*' ? x * y : x / y;
}

std::optional<char> nan_operator(const std::string& function) {
  for (const auto& [symbol, name] : arithmetic()) {
    if (name == function) {
      return symbol.front();
    }
  }
  return std::nullopt;
}

bool may_be_nan(const ExpressionPtr& expression, const MayBeNan& leaf) {
  return std::visit(
      Overload{[&](const Among<ColumnReference, ScalarQuery> auto&) { return leaf(expression); },
               [&](const Operation& node) {
                 return arithmetic().count(node.symbol) != 0 && any_may_be(node.operands, leaf);
               },
               [&](const Case& node) {
                 return any_may_be({node.otherwise}, leaf) ||
                        std::any_of(node.branches.begin(), node.branches.end(),
                                    [&](const Case::Branch& branch) {
                                      return may_be_nan(branch.result, leaf);
                                    });
               },
               [&](const Cast& node) {
                 const auto* const text = std::get_if<StringLiteral>(&node.operand->of);
                 return is_float_type(node.type.name.text) &&
                        (text != nullptr || may_be_nan(node.operand, leaf));
               },
               [&](const Call& node) {
                 return node.function.text == kNan || node.function.text == kFloat ||
                        (node.function.text != kIsNan && node.function.text != "count" &&
                         any_may_be(node.arguments, leaf));
               },
               [](const auto&) { return false; }},
      expression->of);
}

ExpressionPtr with_nan_on_top(const ExpressionPtr& expression, const MayBeNan& leaf) {
  return std::visit(
      Overload{[&](const Operation& node) { return operation_with_nan(node, expression, leaf); },
               [&](const Call& node) { return call_with_nan(node, expression, leaf); },
               [&](const Cast& node) { return cast_with_nan(node, expression, leaf); },
               [&](const auto&) { return expression; }},
      expression->of);
}

ExpressionPtr with_nan(const ExpressionPtr& expression, const MayBeNan& leaf) {
  if (!expression) {
    return expression;
  }
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    found = found || may_be_nan(part, leaf);
    return !found;
  });
  if (!found) {
    return expression;
  }
  bool is_whole = true;  // what was asked for, whose parts are done first
  const auto part_with_nan = [&](const ExpressionPtr& part) {
    return std::exchange(is_whole, false) ? ExpressionPtr() : with_nan(part, leaf);
  };
  return with_nan_on_top(rewrite(expression, {part_with_nan, {}, {}}), leaf);
}

void define_nan_functions(database::Connection& connection) {
  for (const auto& [symbol, name] : arithmetic()) {
    connection.define(name, 2, [symbol = symbol.front()](std::span<const Value> arguments) {
      return value_with_nan(symbol, arguments[0], arguments[1]);
    });
  }
  connection.define(kPower, 2, power_with_nan);
  connection.define(kNan, 0, [](std::span<const Value>) -> Value {
    return std::numeric_limits<double>::quiet_NaN();
  });
  for (const int num_numbers : {1, 2}) {
    connection.define(kIsNan, num_numbers, [](std::span<const Value> numbers) -> Value {
      const bool is_nan = std::any_of(numbers.begin(), numbers.end(), is_nan_value) &&
                          std::none_of(numbers.begin(), numbers.end(), is_null_value);
      return static_cast<int64_t>(is_nan ? 1 : 0);
    });
  }
  connection.define(kFloat, 1, [](std::span<const Value> arguments) -> Value {
    const Value& value = arguments[0];
    if (const auto* const text = std::get_if<std::string>(&value)) {
      const std::optional<double> number = float_in(*text);
      TESSERA_USER_CHECK(number, "'{}' is no number", *text);
      return *number;
    }
    return is_null_value(value) ? value : Value(double_in(value));
  });
  connection.define(kWhole, 1, [](std::span<const Value> arguments) -> Value {
    TESSERA_USER_CHECK(!is_nan_value(arguments[0]), "NaN is no integer");
    return arguments[0];
  });
}

}  // namespace tessera::sql
