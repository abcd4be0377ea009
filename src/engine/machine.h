#pragma once

#include <cstdint>

namespace tessera::engine {

/// What this process may use of the machine it runs on.

/// Bytes of memory: the least of what the machine has and what the process's control groups (cgroup
/// v2 and v1) allow.
int64_t machine_memory_bytes();

/// Threads that the process may run at once.
int32_t machine_threads();

}  // namespace tessera::engine
