#include <algorithm>
#include <array>
#include <string_view>

#include "expr/function.h"

namespace tessera::expr {

namespace {

struct Pair {
  std::string_view function;
  std::string_view monoid;
};

/// In exact arithmetic, for every value of the dtypes the pair is defined on. NaN propagates
/// through both sides alike.
///
/// Not here, with the reason:
///   multiply over min, max   a negative factor turns the order: -1*max(1,2) = -2, max(-1,-2) = -1
///   multiply over prod       a*(b*c) is not (a*b)*(a*c)
///   divide over sum          holds on the left only: (a+b)/c; a path must be free to move either
///   operand add over sum             a+(b+c) is not (a+b)+(a+c) add over logsumexp       true, but
///   its state is a pair and the table is about plain states logical_and over all, logical_or over
///   any   true of two, but an empty reduction gives the identity, and
///                            and(a, true) is a, not true; any and all are defined on empty
constexpr std::array<Pair, 10> kPairs = {{
    {"multiply", "sum"},  // of bool: and over or
    {"add", "min"},       // integers: as long as a+b does not wrap
    {"add", "max"},
    {"minimum", "max"},  // a lattice, and min, max have no value on empty
    {"maximum", "min"},
    {"minimum", "min"},
    {"maximum", "max"},
    {"logical_and", "any"},
    {"logical_or", "all"},
    {"logical_and", "sum"},  // of bool, where sum is or
}};

}  // namespace

bool distributes_over(const std::string& function, const std::string& monoid) {
  return std::any_of(kPairs.begin(), kPairs.end(), [&](const Pair& pair) {
    return pair.function == function && pair.monoid == monoid;
  });
}

}  // namespace tessera::expr
