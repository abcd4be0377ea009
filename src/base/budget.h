#pragma once

#include <cstdint>

namespace tessera {

/// The memory that a run may use, and the workers that share it.
struct Budget {
  int64_t bytes = 0;
  int64_t workers = 1;
};

/// The unit of memory, in bytes: a cache line and the widest vector register.
inline constexpr int64_t kMemoryUnit = 64;

/// More bytes than any machine has. Larger requests count as this, so that sums stay in 64 bits.
inline constexpr int64_t kMostBytes = int64_t{1} << 61;

/// Returns the charge of an allocation of `bytes` bytes: whole units, at least one.
int64_t charged_bytes(int64_t bytes);

}  // namespace tessera
