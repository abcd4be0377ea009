#include "expr/text/operators.h"

#include <algorithm>
#include <array>

namespace tessera::expr {

namespace {

using enum Binding;

// a - b - c is (a - b) - c, a ^ b ^ c is a ^ (b ^ c), -a ^ b is -(a ^ b); a comparison of
// comparisons needs parentheses.
constexpr std::array<Operator, 12> kOperators = {{
    {"==", "equal", 2, comparison, sum, sum},
    {"!=", "not_equal", 2, comparison, sum, sum},
    {"<=", "less_equal", 2, comparison, sum, sum},
    {"<", "less", 2, comparison, sum, sum},
    {">=", "greater_equal", 2, comparison, sum, sum},
    {">", "greater", 2, comparison, sum, sum},
    {"+", "add", 2, sum, sum, product},
    {"-", "subtract", 2, sum, sum, product},
    {"*", "multiply", 2, product, product, sign},
    {"/", "divide", 2, product, product, sign},
    {"^", "power", 2, power, leaf, sign},
    {"-", "negative", 1, sign, leaf, sign},
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
