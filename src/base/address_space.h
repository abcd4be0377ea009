#pragma once

#include <cstdint>

namespace tessera {

/// True if the process's address space is limited (`ulimit -v`).
bool has_bounded_address_space();

/// True if the process may map `bytes` more bytes.
bool may_map(int64_t bytes);

}  // namespace tessera
