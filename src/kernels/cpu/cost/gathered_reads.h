#pragma once

#include <cstdint>
#include <span>

#include "kernels/kernel.h"
#include "machine/machine.h"

namespace tessera::kernels {

/// True if a program reads an input at positions that are data.
bool gathers_inputs(const expr::TileProgram& program);

/// Returns the seconds that a call waits for reads at random places of its inputs, whose sizes no
/// kernel's own price knows: by input, the bytes of its tile.
double waiting_seconds(const expr::TileProgram& program, const CallShape& shape,
                       std::span<const int64_t> input_bytes, const Machine& machine);

}  // namespace tessera::kernels
