#pragma once

#include <functional>
#include <variant>

#include "expr/scalar.h"
#include "kernels/context.h"

namespace tessera::kernels {

/// What one element of an expression is expected to take when it is computed in blocks, in seconds:
/// its functions, by their cost classes, and casts, by how many elements a vector holds. REQUIRES
/// functions of the context.
double seconds_per_element(const expr::Scalar& body, const Context& context);

/// Whether what is read has one value in a whole block.
using IsUniform = std::function<bool(const std::variant<expr::Access, expr::IndexOf>& read)>;

/// The same, but what follows from leaves that are uniform is computed once for a block.
double seconds_per_element(const expr::Scalar& body, const Context& context,
                           const IsUniform& is_uniform);

/// The same where the values of the last function are merged in registers as they are made: it and
/// the merging are one step, over elements of its narrowest argument.
double merged_seconds_per_element(const expr::Scalar& body, const Context& context,
                                  const IsUniform& is_uniform);

/// The same where all of its functions, each one instruction, are `functions` of several.
double merged_seconds_per_element(const expr::Scalar& body, const Context& context, int functions);

/// Whether no function of an expression takes more than one instruction.
bool has_instructions_only(const expr::Scalar& body, const Context& context);

}  // namespace tessera::kernels
