#include "sql/partial_functions.h"

#include <algorithm>
#include <set>
#include <string>

#include "frontend/sql/rewrite.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

bool is_partial(const std::string& function) {
  static const std::set<std::string> names{
      "inverse",     "matrix_inverse", "cholesky",     "solve",      "categorical", "dirichlet",
      "multinomial", "gamma",          "beta",         "poisson",    "binomial",    "bernoulli",
      "power",       "remainder",      "floor_divide", "left_shift", "right_shift"};
  return names.count(function) != 0;
}

/// True if a subscript is named by what rows say.
bool is_data(const ExpressionPtr& subscript) {
  bool found = false;
  for_each(subscript, [&](const ExpressionPtr& part) {
    found = found || !(std::holds_alternative<NumberLiteral>(part->of) ||
                       std::holds_alternative<Operation>(part->of));
    return !found;
  });
  return found;
}

/// True for a remainder or a power, but by a number that is written out and not 0: exponents have
/// no sign there.
bool is_partial(const Operation& operation) {
  if (operation.symbol != "%" && operation.symbol != "^") {
    return false;
  }
  const auto* const number = std::get_if<NumberLiteral>(&operation.operands.back()->of);
  return number == nullptr || number->text.find_first_of("123456789") == std::string::npos;
}

}  // namespace

bool may_fail(const ExpressionPtr& expression) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    const auto* const call = std::get_if<Call>(&part->of);
    const auto* const operation = std::get_if<Operation>(&part->of);
    const auto* const element = std::get_if<Element>(&part->of);
    found = found || (call != nullptr && is_partial(call->function.text)) ||
            (operation != nullptr && is_partial(*operation)) ||
            (element != nullptr &&
             std::any_of(element->subscripts.begin(), element->subscripts.end(),
                         [](const Element::Subscript& one) { return is_data(one.low); }));
    return !found;
  });
  return found;
}

bool may_fail(const SelectPtr& query) {
  bool found = false;
  Rewrites rewrites;
  rewrites.expression = [&](const ExpressionPtr& part) {
    found = found || may_fail(part);
    return ExpressionPtr();
  };
  rewrites.select = [&](const SelectPtr& inner) {
    found = found || may_fail(inner);
    return inner;
  };
  rewrite(query, rewrites);
  return found;
}

bool draws(const ExpressionPtr& expression, const TensorFunctionRegistry& functions) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    const auto* const call = std::get_if<Call>(&part->of);
    const TensorFunction* const function =
        call == nullptr ? nullptr : functions.find(call->function.text);
    found = found || (function != nullptr && function->is_of_scalars);
    return !found;
  });
  return found;
}

}  // namespace tessera::sql
