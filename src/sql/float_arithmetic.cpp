#include "sql/float_arithmetic.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sql/rewrite.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::ScalarType;

namespace {

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
  const auto* const node = std::get_if<Operation>(&expression->of);
  return node != nullptr && node->symbol == "%" && !has_tensors(expression, scope)
             ? call_of_floats("mod", node->operands, scope, type_of_value, prepared)
             : nullptr;
}

}  // namespace tessera::sql
