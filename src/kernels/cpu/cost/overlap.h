#pragma once

#include "kernels/kernel.h"
#include "machine/machine.h"

namespace tessera::kernels {

/// Seconds of computing and of moving bytes, at once: the longer of both, and a share of the other.
double overlapped_seconds(double computing, double moving);

/// What is expected of a call that computes so many seconds and meanwhile has its bytes brought
/// through memory.
Cost overlapping_cost(double flops, double bytes, double computing, const KernelRates& rates);

/// What a call takes that waits for no memory.
double computing_seconds(const Cost& cost, const KernelRates& rates);

}  // namespace tessera::kernels
