#pragma once

#include <cstdint>
#include <memory>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// The kernel `fused` with bands that hold at most `band_bytes`; as registered, it takes
/// calibration::kBandBytes. REQUIRES two statements or more.
std::unique_ptr<PreparedKernel> prepare_fused(const expr::TileProgram& program,
                                              const CallShape& shape, int64_t band_bytes);

}  // namespace tessera::kernels
