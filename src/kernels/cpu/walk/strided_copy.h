#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::kernels {

/// A box of elements that is read and written with steps of its own, in bytes; dimension 0 is
/// walked innermost.
struct StridedBox {
  static constexpr int kMaxDims = 64;
  int num_dims = 0;
  std::array<int64_t, kMaxDims> extent;
  std::array<int64_t, kMaxDims> read_step;
  std::array<int64_t, kMaxDims> write_step;

  void add(int64_t positions, int64_t read, int64_t write);
};

/// Moves the elements of a box, `element_size` bytes each (1, 2, 4, 8 or 16). A read step of 0
/// repeats an element. Neighbouring dimensions that are walked as one are merged; two that cross
/// (read along one, written along the other) are transposed in small squares held in registers.
/// REQUIRES no overlap of what is read and written. Threads: any number on distinct targets. No
/// allocation.
void copy_box(const std::byte* from, std::byte* to, int64_t element_size,
              StridedBox&& box) noexcept;

}  // namespace tessera::kernels
