#pragma once

#include <cstdint>

namespace tessera {

/// The unit by which a core multiplies bf16 and sums in f32: none, vectors of AVX-512, which do
/// twice as many products as of f32, or the tiles of AMX, which do sixteen times as many.
enum class Bf16Unit : uint8_t { none, avx512, amx };

/// Returns the best unit that this processor has and the system lets this process use, after asking
/// the system for it. Threads: any number.
Bf16Unit widest_bf16_unit();

}  // namespace tessera
