#pragma once

#include "kernels/kernel.h"
#include "machine/machine.h"

namespace tessera::kernels {

/// Returns the seconds of computing and moving bytes at once: the longer of both, and a share of
/// the other.
double overlapped_seconds(double computing, double moving);

/// Returns the expected cost of a call that computes for `computing` seconds while its bytes come
/// through memory.
Cost overlapping_cost(double flops, double bytes, double computing, const KernelRates& rates);

/// Returns the seconds of a call that waits for no memory.
double computing_seconds(const Cost& cost, const KernelRates& rates);

}  // namespace tessera::kernels
