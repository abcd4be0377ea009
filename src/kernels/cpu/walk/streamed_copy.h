#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/block_function.h"
#include "kernels/cpu/walk/strided_box.h"

namespace tessera::kernels {

/// Returns bytes of work for stream_box().
int64_t stream_workspace_bytes();

/// The memory that has room for all written bytes: the caches, which often hold a reused tile
/// already, or main memory only.
enum class Fitting : uint8_t { caches, memory };

/// Moves the elements of a box like copy_box(), for boxes larger than a core's cache: rows and wide
/// elements straight (direct_copy.h), other elements that cross through tiles (copy_tile.h), which
/// prefetch the next lines while whole lines are written.
///
/// `workspace` is of stream_workspace_bytes(), aligned to 64. REQUIRES no overlap of source and
/// target, except that both may be the same memory walked in the same order. Threads: any number on
/// distinct targets. No allocation.
void stream_box(const std::byte* from, std::byte* to, int64_t element_size, StridedBox box, Isa isa,
                std::byte* workspace, Fitting fitting) noexcept;

}  // namespace tessera::kernels
