#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/block_function.h"
#include "kernels/cpu/walk/strided_box.h"

namespace tessera::kernels {

/// Bytes of work for stream_box().
int64_t stream_workspace_bytes();

/// What has room for all that is written: the caches, of which a tile that is used again lies in
/// one, or only memory.
enum class Fitting : uint8_t { caches, memory };

/// Moves the elements of a box as copy_box() does, for more than a core's cache holds: rows and
/// wide elements straight (direct_copy.h), other elements that cross through tiles (copy_tile.h),
/// where what is read next is fetched while whole lines are on their way.
///
/// `workspace` is of stream_workspace_bytes(), aligned to 64. REQUIRES no overlap of what is read
/// and written, but that both may be the same memory walked alike. Threads: any number on distinct
/// targets. No allocation.
void stream_box(const std::byte* from, std::byte* to, int64_t element_size, StridedBox box, Isa isa,
                std::byte* workspace, Fitting fitting) noexcept;

}  // namespace tessera::kernels
