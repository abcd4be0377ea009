#pragma once

#include <span>
#include <string>
#include <string_view>

#include "expr/text/parts.h"

namespace tessera::expr {

/// A function that is written as an operator, and how tightly it and its arguments bind.
struct Operator {
  std::string_view symbol;
  std::string_view function;
  size_t arity = 2;
  Binding binding = Binding::sum;  // of the whole
  Binding left = Binding::sum;     // that the left argument needs to stand without parentheses
  Binding right = Binding::sum;    // the same for the right one, or the only one
};

/// Every operator; a symbol that begins with another stands before it.
std::span<const Operator> all_operators();

/// The operator that a function of so many arguments is written as, or null.
const Operator* find_operator(const std::string& function, size_t arity);

}  // namespace tessera::expr
