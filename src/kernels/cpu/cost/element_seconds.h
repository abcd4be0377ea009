#pragma once

#include "expr/scalar.h"
#include "kernels/context.h"

namespace tessera::kernels {

/// What one element of an expression is expected to take when it is computed in blocks, in seconds:
/// its functions, by their cost classes, and casts, by how many elements a vector holds. REQUIRES
/// functions of the context.
double seconds_per_element(const expr::Scalar& body, const Context& context);

/// The same where the values of the last function are merged in registers as they are made: it and
/// the merging are one step, over elements of its narrowest argument.
double merged_seconds_per_element(const expr::Scalar& body, const Context& context);

}  // namespace tessera::kernels
