#pragma once

#include "expr/scalar.h"
#include "kernels/context.h"

namespace tessera::kernels {

/// What one element of an expression is expected to take when it is computed in blocks, in seconds:
/// its functions, by their cost classes, and casts, by how many elements a vector holds. REQUIRES
/// functions of the context.
double seconds_per_element(const expr::Scalar& body, const Context& context);

}  // namespace tessera::kernels
