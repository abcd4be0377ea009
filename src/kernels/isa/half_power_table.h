#pragma once

#include "kernels/block_function.h"

namespace tessera::kernels {

/// The powers of find_half_power(), by type; null if the instruction set has no vectors.
struct HalfPowers {
  BlockFunction of_f32 = nullptr;
  BlockFunction of_f64 = nullptr;
};

HalfPowers half_powers(Isa isa);

}  // namespace tessera::kernels
