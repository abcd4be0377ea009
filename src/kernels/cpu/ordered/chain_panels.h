#pragma once

#include "kernels/cpu/walk/gemm_labels.h"
#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// Several labels counted as one, in row-major order. So a kernel of matrices runs on tensors: the
/// rows of a matrix are all positions of several labels.
struct JoinedLabels {
  int num_labels = 0;
  std::array<int64_t, kMaxLabels> length;
  std::array<int64_t, kMaxLabels> step;  // in an operand, in bytes

  void add(int64_t label_length, int64_t label_step);
  int64_t positions() const;
  int64_t offset_of(int64_t position) const;  // in bytes
  /// Returns how many positions from this one on are one step of the last label apart.
  int64_t run_from(int64_t position) const;
  int64_t last_step() const {
    return num_labels == 0 ? 0 : step[static_cast<size_t>(num_labels - 1)];
  }
};

/// A factor of a product whose sums are chains: the labels of its lines (rows of the first factor,
/// columns of the second), and the summed ones.
struct ChainFactor {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;  // as stored: f16 and bf16 are widened
  JoinedLabels lines;
  JoinedLabels depth;
};

/// Copies a part of a factor into the order in which register tiles read it (isa/chain_table.h).
///
/// A *line* is a row of the first factor or a column of the second; its *depth* is the extent of
/// the sum. The part is `lines` lines from first_line on, at `depth` positions from first_depth on.
/// It becomes panels of `width` lines side by side: panel[position][line], dense, with room for
/// most_depth positions each. The last panel is filled up with lines of zeros.
///
/// `to` has the panels in the dtype that chains are summed in. `staging` has room for as many
/// elements in the factor's own dtype; it is used if that is narrower. Threads: any number on
/// distinct targets. No allocation.
void pack_chain_panels(const ChainFactor& factor, int64_t first_line, int64_t lines,
                       int64_t first_depth, int64_t depth, int64_t width, int64_t most_depth,
                       std::byte* staging, std::byte* to) noexcept;

}  // namespace tessera::kernels
