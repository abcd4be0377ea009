#pragma once

#include <span>
#include <string>
#include <string_view>

#include "expr/text/parts.h"

namespace tessera::expr {

/// A function that is written as an operator, with its precedence and that of its arguments.
struct Operator {
  std::string_view symbol;
  std::string_view function;
  size_t arity = 2;
  Binding binding = Binding::sum;  // of the whole
  Binding left = Binding::sum;     // required of the left argument without parentheses
  Binding right = Binding::sum;    // likewise for the right one, or the only one
};

/// Returns every operator; a symbol that begins with another stands before it.
std::span<const Operator> all_operators();

/// Returns the operator for a function of this many arguments, or null.
const Operator* find_operator(const std::string& function, size_t arity);

}  // namespace tessera::expr
