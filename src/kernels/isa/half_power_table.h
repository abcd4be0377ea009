#pragma once

#include "kernels/block_function.h"

namespace tessera::kernels {

/// x to the power y, as find_half_power() has it, by type; null where the instruction set has no
/// vectors.
struct HalfPowers {
  BlockFunction of_f32 = nullptr;
  BlockFunction of_f64 = nullptr;
};

HalfPowers half_powers(Isa isa);

}  // namespace tessera::kernels
