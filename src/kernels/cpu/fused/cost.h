#pragma once

#include "kernels/cpu/fused/bands.h"
#include "kernels/cpu/fused/part_kernels.h"

namespace tessera::kernels {

/// What a fused program takes with bands of the given lengths: its statements by the models of
/// their kernels, less what is in the cache already because the statement before has left it there.
/// A refusal where no kernel runs a statement on calls of that size.
OrRefusal<Cost> fused_cost(const Outline& outline, const BandLengths& lengths, PartKernels& kernels,
                           const Machine& machine);

}  // namespace tessera::kernels
