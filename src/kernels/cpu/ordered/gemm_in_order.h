#pragma once

#include <cstdint>
#include <vector>

#include "expr/tile_program.h"
#include "kernels/cpu/ordered/chain_panels.h"
#include "kernels/cpu/ordered/in_place_product.h"
#include "kernels/isa/chain_table.h"
#include "kernels/kernel.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

/// Counts the positions of some labels together, in the part of them that a call runs over.
int64_t positions_of(const std::vector<expr::LabelNumber>& labels, const CallShape& shape);

/// A matrix product with a leaf, its elements summed in chains (leaf_order.h), prepared.
///
/// Factors are packed into panels, register tiles (isa/chain_tiles.h) run along the depth of a
/// leaf, and blocks of results are merged as a tree. Tiles and blocks are whole, padded with zeros,
/// so an element is summed in the same order at every place. Source: Goto and van de Geijn, ACM
/// TOMS 34(3), 2008.
///
/// Small products of one leaf are computed in place, because packing would take as long
/// (in_place_product.h).
class GemmInOrder : public PreparedKernel {
 public:
  GemmInOrder(GemmLabels labels, const expr::TileStatement& statement, const ChainEntry& entry,
              const CallShape& shape);

  /// Results of a block: larger ones save packing, smaller ones stay in the cache. Measured on
  /// products of 1000 and 2000 a side, bench/reproducible, 2026-11.
  static constexpr int64_t kBlockRows = 512;
  static constexpr int64_t kBlockColumns = 768;

  /// True if factors are read in place, if they are in rows.
  bool is_small() const { return is_small_; }

  int64_t workspace_bytes() const {
    return in_place_workspace_bytes(entry_, panel_depth_) + panel_bytes(block_rows_) +
           panel_bytes(block_columns_) + staging_bytes() + num_buffers_ * buffer_bytes();
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Run;

  int64_t panel_bytes(int64_t lines) const { return aligned_bytes(lines * panel_depth_ * size_); }
  /// Returns the staging for halves, which are packed unchanged and then widened.
  int64_t staging_bytes() const {
    return labels_.type == DType::f32 ? panel_bytes(std::max(block_rows_, block_columns_)) / 2 + 64
                                      : 0;
  }
  int64_t buffer_bytes() const { return aligned_bytes(block_rows_ * block_columns_ * size_); }

  ChainFactor factor(const expr::Access& access, const KernelCall& call,
                     const std::vector<expr::LabelNumber>& lines) const noexcept;
  JoinedLabels in_access(const std::vector<expr::LabelNumber>& labels, const expr::Access& access,
                         const KernelCall& call) const noexcept;
  JoinedLabels in_result(const std::vector<expr::LabelNumber>& labels,
                         const KernelCall& call) const noexcept;

  GemmLabels labels_;
  std::vector<expr::LabelNumber> out_;
  expr::Reduce reduce_;
  const ChainEntry& entry_;
  int64_t size_;
  int64_t block_rows_ = 0;
  int64_t block_columns_ = 0;
  int64_t panel_depth_ = 0;
  int64_t num_buffers_ = 0;
  bool is_small_ = false;
};

}  // namespace tessera::kernels
