#pragma once

#include <memory>

#include "kernels/cpu/ordered/lane_rows.h"
#include "kernels/cpu/ordered/leaf_accumulator.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// A reduction with a leaf whose leaves have lanes (leaf_order.h), prepared to run over blocks.
///
/// A block is kLanes positions of the last reduced label of several items: results side by side or,
/// if there are few results, leaves of one result (leaf_space.h). For all items and layouts, every
/// state is merged with the same partner at the same place in the tree.
class TreeReduction : public PreparedKernel {
 public:
  static OrRefusal<std::shared_ptr<const TreeReduction>> compile(
      const expr::TileStatement& statement, const CallShape& shape, Isa isa);

  int64_t workspace_bytes() const {
    return kStagingBytes + program_.buffer_bytes() +
           LeafAccumulator::workspace_bytes(reduction_, items_, num_leaves_);
  }

  /// True if contiguous rows are added in place.
  bool adds_rows() const { return rows_.has_sums(); }

  Status run(const KernelCall& call) const noexcept override;

 private:
  static constexpr int64_t kStagingBytes = kBlock * 2;

  struct Run;

  TreeReduction(const expr::TileStatement& statement, const CallShape& shape, BlockProgram program,
                BlockReduction reduction, Isa isa);

  expr::TileStatement statement_;
  expr::Reduce reduce_;  // of the statement
  BlockProgram program_;
  BlockReduction reduction_;
  int64_t lanes_ = 1;
  int64_t items_ = 1;       // the most in one block
  int64_t num_leaves_ = 1;  // the most of one result
  LaneRows rows_;
};

}  // namespace tessera::kernels
