#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/block_function.h"
#include "kernels/cpu/walk/strided_box.h"

namespace tessera::kernels {

/// Bytes of work for stream_box().
int64_t stream_workspace_bytes();

/// Moves the elements of a box as copy_box() does, for more than the caches hold: whole lines are
/// written past them, so that the target is not read first, and what is read next is fetched while
/// they are on their way. What crosses goes through tiles (copy_tile.h).
///
/// `workspace` is of stream_workspace_bytes(), aligned to 64. REQUIRES no overlap of what is read
/// and written, but that both may be the same memory walked alike. Threads: any number on distinct
/// targets. No allocation.
void stream_box(const std::byte* from, std::byte* to, int64_t element_size, StridedBox box, Isa isa,
                std::byte* workspace) noexcept;

}  // namespace tessera::kernels
