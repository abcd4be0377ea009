#pragma once

#include "expr/scalar.h"
#include "machine/machine.h"

namespace tessera::kernels {

/// What one element of an expression is expected to take when it is computed in blocks, in seconds:
/// its functions and casts, by how many elements a vector holds and whether they have vector code.
double seconds_per_element(const expr::Scalar& body, const KernelRates& rates);

}  // namespace tessera::kernels
