#pragma once

#include "kernels/block_function.h"

namespace tessera::kernels {

/// Converts from the compute type of `from` to floats that f16 or bf16 hold exactly: rounded once,
/// to nearest, ties to even, with infinity where the half type overflows. Every instruction set
/// gives the same bits. REQUIRES rounds_to_half(from, to).
BlockFunction find_half_cast(DType from, DType to);

/// Returns the name of this function in a block program, by the half type.
const char* half_cast_name(DType to);

}  // namespace tessera::kernels
