#include "sql/key_arithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/overload.h"
#include "sql/nan_functions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about
using database::Value;

std::optional<KeyArithmetic> KeyArithmetic::of(const ExpressionPtr& expression,
                                               const std::vector<std::string>& columns) {
  KeyArithmetic made;
  return made.add(expression, columns) ? std::optional(std::move(made)) : std::nullopt;
}

bool KeyArithmetic::add(const ExpressionPtr& expression, const std::vector<std::string>& columns) {
  if (const auto* const literal = std::get_if<NumberLiteral>(&expression->of)) {
    nodes_.emplace_back(literal->is_integer ? Value(int64_t{std::stoll(literal->text)})
                                            : Value(std::strtod(literal->text.c_str(), nullptr)));
    return true;
  }
  if (const auto* const column = std::get_if<ColumnReference>(&expression->of)) {
    const auto found = std::find(columns.begin(), columns.end(), column->column.text);
    nodes_.emplace_back(Column{static_cast<size_t>(found - columns.begin())});
    return found != columns.end();
  }
  const auto* const call = std::get_if<Call>(&expression->of);
  const std::optional<char> symbol =
      call == nullptr ? std::nullopt : operator_of_nan_function(call->function.text);
  if (!symbol || !add(call->arguments[0], columns)) {
    return false;
  }
  const size_t left = nodes_.size() - 1;
  if (!add(call->arguments[1], columns)) {
    return false;
  }
  const size_t right = nodes_.size() - 1;
  nodes_.emplace_back(Combined{*symbol, left, right});
  return true;
}

Value KeyArithmetic::value_of(size_t node,
                              const std::function<Value(size_t column)>& number) const {
  return std::visit(Overload{[](const Value& literal) { return literal; },
                             [&](const Column& column) { return number(column.place); },
                             [&](const Combined& combined) {
                               return value_with_nan(combined.symbol,
                                                     value_of(combined.left, number),
                                                     value_of(combined.right, number));
                             }},
                    nodes_[node]);
}

}  // namespace tessera::sql
