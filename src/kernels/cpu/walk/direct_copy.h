#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/walk/strided_box.h"
#include "kernels/isa/transpose_table.h"

namespace tessera::kernels {

/// Copies straight from source to target, in such an order that the processor sees a few streams
/// that it prefetches by itself. Boxes are sorted (StridedBox). Threads: any number on distinct
/// targets. No allocation.

/// The shortest rows that are moved in blocks: starting on one costs less than moving it.
constexpr int64_t kShortestBlockRow = 128;

/// Moves rows of `row_bytes`, which are the elements of the box: several that are written side by
/// side at once, along the dimension that is read in the smallest steps. `stream` writes them past
/// the caches; null: into them.
void move_rows_in_blocks(const std::byte* from, std::byte* to, int64_t row_bytes,
                         const StridedBox& box, StreamBytes stream) noexcept;

/// Moves elements of 8 or 16 bytes in panels, transposed in registers, into the caches. Returns
/// false, having done nothing, if the box has no such panels, or its read runs are short.
bool move_panels(const std::byte* from, std::byte* to, int64_t unit, const StridedBox& box,
                 const TransposeCode& code) noexcept;

constexpr int64_t kPieceBytes = int64_t{4} << 10;

/// Moves rows of elements that are written along neighbours and read in any steps past the caches.
/// Each row is gathered in pieces of kPieceBytes at `piece` first.
void stream_rows_in_pieces(const std::byte* from, std::byte* to, int64_t unit,
                           const StridedBox& box, std::byte* piece, StreamBytes stream) noexcept;

}  // namespace tessera::kernels
