#pragma once

#include <functional>
#include <variant>

#include "expr/scalar.h"
#include "kernels/context.h"

namespace tessera::kernels {

/// Returns the expected seconds of one element of an expression that is computed in blocks: its
/// functions, by their cost classes, and casts, by the elements of a vector. REQUIRES functions of
/// the context.
double seconds_per_element(const expr::Scalar& body, const Context& context);

/// A predicate: true if a read has one value in a whole block.
using IsUniform = std::function<bool(const std::variant<expr::Access, expr::IndexOf>& read)>;

/// Returns these seconds, with values that depend on uniform leaves only computed once for a block.
double seconds_per_element(const expr::Scalar& body, const Context& context,
                           const IsUniform& is_uniform);

/// Returns these seconds if the values of the last function are merged in registers while they are
/// made: it and the merging are one step, over elements of its narrowest argument.
double merged_seconds_per_element(const expr::Scalar& body, const Context& context,
                                  const IsUniform& is_uniform);

/// Returns these seconds if all of its functions, each one instruction, are `functions` of several.
double merged_seconds_per_element(const expr::Scalar& body, const Context& context, int functions);

/// True if no function of an expression takes more than one instruction.
bool has_instructions_only(const expr::Scalar& body, const Context& context);

}  // namespace tessera::kernels
