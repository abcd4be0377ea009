#pragma once

#include "expr/scalar.h"

namespace tessera::expr {

/// The expression whose result is a node of another one. Equal nodes become one, so it is as
/// ScalarBuilder makes it even where `scalar` has equal nodes under several numbers.
Scalar part_of(const Scalar& scalar, int32_t node);

}  // namespace tessera::expr
