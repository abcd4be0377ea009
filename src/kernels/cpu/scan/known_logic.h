#pragma once

#include "expr/scalar.h"

namespace tessera::kernels {

/// The same expression without the logic whose outcome is known: `where` of a constant, `and`, `or`
/// and `not` of constants. The same bits.
expr::Scalar with_known_logic(const expr::Scalar& scalar);

}  // namespace tessera::kernels
