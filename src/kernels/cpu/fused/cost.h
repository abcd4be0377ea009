#pragma once

#include "kernels/cpu/fused/bands.h"
#include "kernels/cpu/fused/part_kernels.h"

namespace tessera::kernels {

/// Returns the cost of a fused program with bands of the given lengths: its statements by the
/// models of their kernels, less the bytes that an earlier statement has left in the cache. A
/// refusal if no kernel runs a statement on calls of that size.
OrRefusal<Cost> fused_cost(const Outline& outline, const BandLengths& lengths, PartKernels& kernels,
                           const Machine& machine);

}  // namespace tessera::kernels
