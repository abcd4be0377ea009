#include "frontend/einsum/expression/integer_fold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "expr/function_ids.h"

namespace tessera::frontend {

namespace {

/// A type that holds every product of two numbers of 64 bits.
using Wide = __int128;

Literal literal_of(Wide value) {
  if (value >= std::numeric_limits<int64_t>::min() &&
      value <= std::numeric_limits<int64_t>::max()) {
    return static_cast<int64_t>(value);
  }
  if (value >= 0 && value <= std::numeric_limits<uint64_t>::max()) {
    return static_cast<uint64_t>(value);
  }
  return static_cast<double>(value);
}

bool holds_integer(const Literal& number) {
  return std::holds_alternative<bool>(number) || std::holds_alternative<int64_t>(number) ||
         std::holds_alternative<uint64_t>(number);
}

Wide wide_of(const Literal& number) {
  const auto* large = std::get_if<uint64_t>(&number);
  return large != nullptr ? Wide{*large} : Wide{literal_as<int64_t>(number)};
}

Literal product_of(Wide x, Wide y) {
  Wide product = 0;
  if (__builtin_mul_overflow(x, y, &product)) {
    return static_cast<double>(x) * static_cast<double>(y);
  }
  return literal_of(product);
}

using Fold = std::optional<Literal> (*)(Wide x, Wide y);

std::optional<Literal> power(Wide x, Wide y) {
  if (y < 0) {
    return std::nullopt;
  }
  Wide result = 1;
  Wide rest = y;
  while (rest > 0 && x != 0 && x != 1 && x != -1) {
    if (__builtin_mul_overflow(result, x, &result)) {
      return std::pow(static_cast<double>(x), static_cast<double>(y));
    }
    --rest;
  }
  if (rest > 0) {
    return literal_of(x == -1 && rest % 2 == 0 ? 1 : x);
  }
  return literal_of(result);
}

/// Rounds towards minus infinity.
Wide floor_quotient(Wide x, Wide y) {
  return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
}

const std::map<std::string, Fold>& folds() {
  namespace id = expr::id;
  static const std::map<std::string, Fold> folds_by_name = {
      {id::kAdd, [](Wide x, Wide y) { return std::optional(literal_of(x + y)); }},
      {id::kSubtract, [](Wide x, Wide y) { return std::optional(literal_of(x - y)); }},
      {id::kMultiply, [](Wide x, Wide y) { return std::optional(product_of(x, y)); }},
      {id::kPower, &power},
      {id::kFloorDivide,
       [](Wide x, Wide y) {
         return y == 0 ? std::nullopt : std::optional(literal_of(floor_quotient(x, y)));
       }},
      {id::kRemainder,
       [](Wide x, Wide y) {
         return y == 0 ? std::nullopt : std::optional(literal_of(x - y * floor_quotient(x, y)));
       }},
      {id::kMinimum, [](Wide x, Wide y) { return std::optional(literal_of(std::min(x, y))); }},
      {id::kMaximum, [](Wide x, Wide y) { return std::optional(literal_of(std::max(x, y))); }},
      {id::kEqual, [](Wide x, Wide y) { return std::optional<Literal>(x == y); }},
      {id::kNotEqual, [](Wide x, Wide y) { return std::optional<Literal>(x != y); }},
      {id::kLess, [](Wide x, Wide y) { return std::optional<Literal>(x < y); }},
      {id::kLessEqual, [](Wide x, Wide y) { return std::optional<Literal>(x <= y); }},
      {id::kGreater, [](Wide x, Wide y) { return std::optional<Literal>(x > y); }},
      {id::kGreaterEqual, [](Wide x, Wide y) { return std::optional<Literal>(x >= y); }},
      {id::kNegative, [](Wide x, Wide) { return std::optional(literal_of(-x)); }},
      {id::kSquare, [](Wide x, Wide) { return std::optional(product_of(x, x)); }},
      {"abs", [](Wide x, Wide) { return std::optional(literal_of(x < 0 ? -x : x)); }},
      {"left_shift",
       [](Wide x, Wide y) -> std::optional<Literal> {
         if (y < 0 || y > 62) {
           return std::nullopt;
         }
         return literal_of(x * (Wide{1} << y));
       }},
  };
  return folds_by_name;
}

}  // namespace

std::optional<Literal> fold_integers(const std::string& function,
                                     const std::vector<Literal>& arguments) {
  const auto is_bool = [](const Literal& number) { return std::holds_alternative<bool>(number); };
  const auto found = folds().find(function);
  if (found == folds().end() || arguments.empty() || arguments.size() > 2 ||
      !std::all_of(arguments.begin(), arguments.end(), &holds_integer) ||
      std::all_of(arguments.begin(), arguments.end(), is_bool)) {
    return std::nullopt;
  }
  return found->second(wide_of(arguments.front()), wide_of(arguments.back()));
}

}  // namespace tessera::frontend
