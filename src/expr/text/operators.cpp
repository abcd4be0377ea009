#include "expr/text/operators.h"

#include <algorithm>
#include <array>

#include "expr/function_ids.h"

namespace tessera::expr {

namespace {

using enum Binding;

// a - b - c is (a - b) - c, a ^ b ^ c is a ^ (b ^ c), -a ^ b is -(a ^ b); a comparison of
// comparisons needs parentheses.
constexpr std::array<Operator, 12> kOperators = {{
    {"==", id::kEqual, 2, comparison, sum, sum},
    {"!=", id::kNotEqual, 2, comparison, sum, sum},
    {"<=", id::kLessEqual, 2, comparison, sum, sum},
    {"<", id::kLess, 2, comparison, sum, sum},
    {">=", id::kGreaterEqual, 2, comparison, sum, sum},
    {">", id::kGreater, 2, comparison, sum, sum},
    {"+", id::kAdd, 2, sum, sum, product},
    {"-", id::kSubtract, 2, sum, sum, product},
    {"*", id::kMultiply, 2, product, product, sign},
    {"/", id::kDivide, 2, product, product, sign},
    {"^", id::kPower, 2, power, leaf, sign},
    {"-", id::kNegative, 1, sign, leaf, sign},
}};

}  // namespace

std::span<const Operator> all_operators() {
  return kOperators;
}

const Operator* find_operator(const std::string& function, size_t arity) {
  const auto* found =
      std::find_if(kOperators.begin(), kOperators.end(), [&](const Operator& candidate) {
        return candidate.function == function && candidate.arity == arity;
      });
  return found == kOperators.end() ? nullptr : found;
}

}  // namespace tessera::expr
