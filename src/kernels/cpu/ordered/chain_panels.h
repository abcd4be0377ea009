#pragma once

#include "kernels/cpu/walk/gemm_labels.h"
#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// Several labels counted as one, the last fastest: position p of the first stands for the
/// positions of all of them in row-major order.
struct JoinedLabels {
  int num_labels = 0;
  std::array<int64_t, kMaxLabels> length;
  std::array<int64_t, kMaxLabels> step;  // in an operand, in bytes

  void add(int64_t label_length, int64_t label_step);
  int64_t positions() const;
  int64_t offset_of(int64_t position) const;  // in bytes
  /// How many positions from this one on are one step of the last label apart.
  int64_t run_from(int64_t position) const;
  int64_t last_step() const {
    return num_labels == 0 ? 0 : step[static_cast<size_t>(num_labels - 1)];
  }
};

/// A factor of a product: its rows or columns, and the positions that chains run along.
struct ChainFactor {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;  // as stored: f16 and bf16 are widened
  JoinedLabels lines;
  JoinedLabels depth;
};

/// Bytes of a panel's element as it is stored: `staging` of pack_chain_panels has as many elements
/// as its result.
///
/// Copies positions [first_depth, first_depth + depth) of lines [first_line, first_line + lines)
/// into panels of `width` lines, each [most_depth, width] dense; lines that the last panel lacks
/// are zeros. Threads: any number on distinct targets. No allocation.
void pack_chain_panels(const ChainFactor& factor, int64_t first_line, int64_t lines,
                       int64_t first_depth, int64_t depth, int64_t width, int64_t most_depth,
                       std::byte* staging, std::byte* to) noexcept;

}  // namespace tessera::kernels
