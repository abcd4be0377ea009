#pragma once

#include "expr/scalar.h"

namespace tessera::expr {

/// Returns the expression whose result is a node of another one. Equal nodes become one, like in a
/// ScalarBuilder, even if `scalar` has equal nodes under several numbers.
Scalar part_of(const Scalar& scalar, int32_t node);

}  // namespace tessera::expr
