#pragma once

#include <cstdint>

namespace tessera {

/// True if the process may have only so much address space (`ulimit -v`).
bool has_bounded_address_space();

/// True if the process may map so many bytes more.
bool may_map(int64_t bytes);

}  // namespace tessera
