#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::kernels {

/// A box of elements with steps of its own in source and target, in bytes; dimension 0 is walked
/// innermost.
struct StridedBox {
  static constexpr int kMaxDims = 64;
  int num_dims = 0;
  std::array<int64_t, kMaxDims> extent;
  std::array<int64_t, kMaxDims> read_step;
  std::array<int64_t, kMaxDims> write_step;

  void add(int64_t positions, int64_t read, int64_t write);
  void swap_dims(size_t one, size_t other);
  /// Puts dimensions in the order of their write steps, because writing in order costs least, and
  /// merges those that both sides walk as one.
  void sort_and_merge();
  bool is_empty() const;
  int64_t num_elements() const;
};

}  // namespace tessera::kernels
