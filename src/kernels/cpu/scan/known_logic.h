#pragma once

#include "expr/scalar.h"

namespace tessera::kernels {

/// Simplifies logic with a known outcome: `where` of a constant, `and`, `or` and `not` of
/// constants. The bits stay the same.
expr::Scalar with_known_logic(const expr::Scalar& scalar);

}  // namespace tessera::kernels
