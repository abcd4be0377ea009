#pragma once

#include <cstdint>

namespace tessera {

/// The memory that a run may use, and the workers that share it.
struct Budget {
  int64_t bytes = 0;
  int64_t workers = 1;
};

/// Memory is counted in units of so many bytes: a cache line and the widest vector register.
inline constexpr int64_t kMemoryUnit = 64;

/// More than any machine has. What asks for more is counted as this, so that sums stay in 64 bits.
inline constexpr int64_t kMostBytes = int64_t{1} << 61;

/// What an allocation of so many bytes is charged: whole units, at least one.
int64_t charged_bytes(int64_t bytes);

}  // namespace tessera
