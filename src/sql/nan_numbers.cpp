#include "sql/nan_numbers.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/overload.h"
#include "expr/function_value.h"
#include "frontend/sql/rewrite.h"
#include "sql/nan_functions.h"
#include "sql/number_formats.h"
#include "sql/quoted_literals.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// True for a function of SQLite's whose result is NaN only if an argument is.
bool keeps_nan(const std::string& function) {
  static const std::set<std::string> names{
      "abs",  "round", "exp",   "ceil", "ceiling", "floor", "trunc",   "atan",
      "sinh", "cosh",  "atan2", "tanh", "asinh",   "sign",  "radians", "degrees"};
  return names.count(function) != 0;
}

/// True for an aggregate that may be NaN of infinite numbers.
bool is_sum_of_floats(const std::string& function) {
  static const std::set<std::string> names{"sum",         "avg",       "total",   "median",
                                           "variance",    "var_samp",  "var_pop", "stddev",
                                           "stddev_samp", "stddev_pop"};
  return names.count(function) != 0;
}

/// True for a function of ours that may be NaN of any numbers (sql/number_functions.h).
bool is_number_function(const std::string& function) {
  return expr::is_of_numbers(function) && !keeps_nan(function) && !nan_function(function, 1) &&
         !nan_function(function, 2);
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
  const std::optional<std::string> ours = nan_operator(node.symbol);
  if (!ours || !any_may_be(node.operands, leaf)) {
    return whole;
  }
  std::vector<ExpressionPtr> operands = node.operands;
  if (operands.size() == 1) {
    operands.insert(operands.begin(), make_expression(NumberLiteral{"0", true}));
  }
  return nan_call(ours->c_str(), std::move(operands), whole->span);
}

ExpressionPtr cast_with_nan(const Cast& node, const ExpressionPtr& whole, const MayBeNan& leaf) {
  if (!may_be_nan(node.operand, leaf)) {
    return whole;
  }
  if (is_integer_type(node.type.name.text)) {
    Cast other = node;
    other.operand = nan_call(kInteger, {node.operand});
    return make_expression(std::move(other), whole->span);
  }
  return is_float_type(node.type.name.text) ? unless_nan({node.operand}, whole) : whole;
}

/// printf with the text `NaN` for each number that is NaN, as SQLite would print it as 0.
ExpressionPtr formatted_with_nan(const Call& node, const ExpressionPtr& whole,
                                 const MayBeNan& leaf) {
  const auto printed = [&](const std::string& format, ExpressionPtr value) {
    return make_expression(
        Call{node.function, {make_expression(StringLiteral{format}), std::move(value)}});
  };
  const auto* const written = std::get_if<StringLiteral>(&node.arguments.front()->of);
  Call other = node;
  std::string format;
  size_t place = 0;
  for (const FormatPiece& piece :
       written == nullptr ? std::vector<FormatPiece>() : pieces_of_format(written->text)) {
    place += piece.takes_argument ? 1 : 0;
    const bool is_number = piece.is_of_number && place < node.arguments.size() &&
                           may_be_nan(node.arguments[place], leaf);
    format += is_number ? "%s" : piece.text;
    if (is_number) {
      ExpressionPtr& value = other.arguments[place];
      const ExpressionPtr nan =
          printed(text_conversion(piece.text), make_expression(StringLiteral{"NaN"}));
      value = where_nan({value}, nan, printed(piece.text, value));
    }
  }
  if (format.empty()) {
    return whole;
  }
  other.arguments.front() = make_expression(StringLiteral{format});
  return make_expression(std::move(other), whole->span);
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
  if (function == "printf" || function == "format") {
    return formatted_with_nan(node, whole, leaf);
  }
  if (function == "typeof" && node.arguments.size() == 1) {
    return where_nan(node.arguments, make_expression(StringLiteral{"real"}), whole);
  }
  if (const std::optional<std::string> ours = nan_function(function, node.arguments.size())) {
    return nan_call(ours->c_str(), node.arguments, whole->span);
  }
  return keeps_nan(function) ? unless_nan(node.arguments, whole) : whole;
}

/// A condition that is a number: NaN is not 0, so it is true.
ExpressionPtr condition_with_nan(const ExpressionPtr& condition, const MayBeNan& leaf) {
  if (!condition || !may_be_nan(condition, leaf)) {
    return condition;
  }
  return make_expression(Operation{"<>", {condition, make_expression(NumberLiteral{"0", true})}},
                         condition->span);
}

ExpressionPtr logical_with_nan(Logical node, SourceSpan span, const MayBeNan& leaf) {
  for (ExpressionPtr& operand : node.operands) {
    operand = condition_with_nan(operand, leaf);
  }
  return make_expression(std::move(node), span);
}

ExpressionPtr case_with_nan(Case node, SourceSpan span, const MayBeNan& leaf) {
  for (Case::Branch& branch : node.branches) {
    branch.condition = condition_with_nan(branch.condition, leaf);
  }
  return make_expression(std::move(node), span);
}

ExpressionPtr test_with_nan(Test node, SourceSpan span, const MayBeNan& leaf) {
  node.operand = condition_with_nan(node.operand, leaf);
  return make_expression(std::move(node), span);
}

/// The text of a number is what a pattern is of.
ExpressionPtr like_with_nan(Like node, SourceSpan span, const MayBeNan& leaf) {
  if (may_be_nan(node.operand, leaf)) {
    node.operand = make_expression(Cast{node.operand, TypeName{Name{"text", {}}, {}, {}}});
  }
  return make_expression(std::move(node), span);
}

bool call_may_be_nan(const Call& node, const ExpressionPtr& whole, const MayBeNan& leaf) {
  const std::string& function = node.function.text;
  if (function == kIsNan || function == "count") {
    return false;
  }
  return function.starts_with(kNanPrefix) || function == "float_of" ||
         is_number_function(function) || any_may_be(node.arguments, leaf) ||
         (is_sum_of_floats(function) && node.arguments.size() == 1 && leaf(whole));
}

}  // namespace

bool may_be_nan(const ExpressionPtr& expression, const MayBeNan& leaf) {
  return std::visit(
      Overload{[&](const Among<ColumnReference, ScalarQuery> auto&) { return leaf(expression); },
               [&](const Operation& node) {
                 return nan_operator(node.symbol) && any_may_be(node.operands, leaf);
               },
               [&](const Case& node) {
                 return any_may_be({node.otherwise}, leaf) ||
                        std::any_of(node.branches.begin(), node.branches.end(),
                                    [&](const Case::Branch& branch) {
                                      return may_be_nan(branch.result, leaf);
                                    });
               },
               [&](const Cast& node) {
                 return is_float_type(node.type.name.text) &&
                        (is_quoted(node.operand) || may_be_nan(node.operand, leaf));
               },
               [&](const Call& node) { return call_may_be_nan(node, expression, leaf); },
               [](const auto&) { return false; }},
      expression->of);
}

ExpressionPtr with_nan_on_top(const ExpressionPtr& expression, const MayBeNan& leaf) {
  return std::visit(
      Overload{[&](const Operation& node) { return operation_with_nan(node, expression, leaf); },
               [&](const Call& node) { return call_with_nan(node, expression, leaf); },
               [&](const Cast& node) { return cast_with_nan(node, expression, leaf); },
               [&](const Logical& node) { return logical_with_nan(node, expression->span, leaf); },
               [&](const Case& node) {
                 return node.operand ? expression : case_with_nan(node, expression->span, leaf);
               },
               [&](const Test& node) {
                 const bool is_truth =
                     node.kind == Test::Kind::true_ || node.kind == Test::Kind::false_;
                 return is_truth ? test_with_nan(node, expression->span, leaf) : expression;
               },
               [&](const Like& node) { return like_with_nan(node, expression->span, leaf); },
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

}  // namespace tessera::sql
