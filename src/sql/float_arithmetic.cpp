#include "sql/float_arithmetic.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "sql/nan_functions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

/// True if an expression has columns, all of them of scalars whose types are known.
bool is_of_scalar_columns(const ExpressionPtr& expression, const Scope& scope) {
  bool has_column = false;
  bool has_others = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    const auto* const column = std::get_if<ColumnReference>(&part->of);
    has_column = has_column || column != nullptr;
    has_others = has_others || (column != nullptr && !scope.find_scalar(*column)) ||
                 std::holds_alternative<ScalarQuery>(part->of) ||
                 std::holds_alternative<ArrayLiteral>(part->of);
    return !has_others;
  });
  return has_column && !has_others;
}

/// True if a part of an expression is a tensor that is known here.
bool has_tensors(const ExpressionPtr& expression, const Scope& scope) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    found = found || scope.find_tensor(part) != nullptr ||
            std::holds_alternative<ArrayLiteral>(part->of);
    return !found;
  });
  return found;
}

/// Returns a call with these operands if all of them are numbers, one of them a float. Null if not.
ExpressionPtr call_of_floats(const std::string& function,
                             const std::vector<ExpressionPtr>& operands, const Scope& scope,
                             const TypeOfValue& type_of_value, const PreparesOperand& prepared) {
  bool has_float = false;
  Call call{Name{function, {}}};
  for (const ExpressionPtr& operand : operands) {
    const std::optional<ScalarType> type = scalar_type_of(operand, scope, type_of_value);
    if (type != ScalarType::real && type != ScalarType::integer) {
      return nullptr;
    }
    has_float = has_float || type == ScalarType::real;
    call.arguments.push_back(operand);
  }
  if (!has_float) {
    return nullptr;
  }
  for (ExpressionPtr& argument : call.arguments) {
    argument = prepared(argument);
  }
  return make_expression(std::move(call));
}

}  // namespace

ExpressionPtr with_float_arithmetic(const ExpressionPtr& expression, const Scope& scope,
                                    const TypeOfValue& type_of_value,
                                    const PreparesOperand& prepared) {
  const auto is_of_columns = [&] { return is_of_scalar_columns(expression, scope); };
  return std::visit(
      Overload{[&](const Operation& node) -> ExpressionPtr {
                 if (node.symbol != "/" && node.symbol != "%") {
                   return nullptr;
                 }
                 // SQLite's `%` is of whole numbers, also of those that are written out.
                 return is_of_columns() ? call_of_floats(*nan_operator(node.symbol), node.operands,
                                                         scope, type_of_value, prepared)
                        : node.symbol == "%" && !has_tensors(expression, scope)
                            ? call_of_floats("mod", node.operands, scope, type_of_value, prepared)
                            : nullptr;
               },
               [&](const Call& node) -> ExpressionPtr {
                 const std::optional<std::string> ours =
                     nan_function(node.function.text, node.arguments.size());
                 return ours && !node.over && is_of_columns()
                            ? call_of_floats(*ours, node.arguments, scope, type_of_value, prepared)
                            : nullptr;
               },
               [](const auto&) { return ExpressionPtr(); }},
      expression->of);
}

}  // namespace tessera::sql
