#pragma once

#include <cstddef>

#include "kernels/cpu/blocked/shape.h"

namespace tessera::kernels {

/// One block of one stream: the address of its first element, and the box of positions that it
/// covers (BlockShape's order).
struct BlockView {
  const Stream* stream = nullptr;
  const BlockShape* shape = nullptr;
  int num_dims = 0;    // of the shape's dimensions; a result has only those of the kept labels
  int64_t origin = 0;  // the stream's address or index at the block's first position
  int64_t count = 0;   // positions
  int first_dim = 0;   // of num_dims

  int64_t step(int dim) const {
    return stream->step[static_cast<size_t>(shape->label[place_of(dim)])];
  }
  int64_t extent(int dim) const { return shape->extent[place_of(dim)]; }

 private:
  size_t place_of(int dim) const {
    return static_cast<size_t>(first_dim) + static_cast<size_t>(dim);
  }
};

/// True if the stream has one value in the whole block.
bool is_uniform(const BlockView& view) noexcept;

/// Returns the block's elements in memory, if they are laid out like a buffer: dense, of a compute
/// type. Else null.
void* dense_at(const BlockView& view) noexcept;

/// True if block functions, which run over whole vectors, may run in place: the elements are a
/// multiple of 64 bytes. The same for all views of the stream and the shape.
bool in_place(const BlockView& view) noexcept;

/// Returns the address of the block's first element. REQUIRES that the stream is no index.
inline std::byte* address_of(const BlockView& view) noexcept {
  const auto address = static_cast<intptr_t>(view.origin);
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Loads a block into a buffer of its compute type. A buffer holds kBlock elements and is aligned
/// to 64 bytes; `staging` holds kBlock elements of 2 bytes.
void load_block(const BlockView& view, void* buffer, uint16_t* staging) noexcept;

/// Fills a buffer with the one value of a uniform stream.
void splat_block(const BlockView& view, void* buffer, int64_t count) noexcept;

/// Writes a buffer to the stream, rounded to its dtype.
void store_block(const BlockView& view, const void* buffer, uint16_t* staging) noexcept;

}  // namespace tessera::kernels
