#pragma once

#include "types/dtype.h"

namespace tessera::bench {

/// Operations a second of so many threads that multiply and add in registers, of f32 or f64.
double measured_peak(DType dtype, int threads);

/// Bytes a second that so many threads read from memory.
double measured_bandwidth(int threads);

}  // namespace tessera::bench
