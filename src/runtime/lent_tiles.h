#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/executor.h"
#include "runtime/prepared_kernels.h"

namespace tessera::runtime {

/// The tiles that may be read where they lie in a source's memory (store::TileSource::lend): those
/// that are read from one and that no task changes. Where there are gaps between the rows, one
/// kernel has to read the tile, once, in runs of kShortestRun bytes or more: a copy would be made
/// in the time that the kernel takes, while others read rows again, which a cache then keeps
/// better.
///
/// Threads: any number at once.
class LentTiles {
 public:
  static constexpr int64_t kShortestRun = 256;

  /// All outlive it.
  LentTiles(const plan::TaskGraph& graph, const RunContext& context,
            const PreparedKernels& kernels);

  /// Whether the source of the tile is asked for its bytes when it is read, so that no memory is
  /// taken for it before.
  bool may_be_lent(plan::TileId tile) const { return reads_[tile.index()] != nullptr; }

  /// Such a tile in its source; nothing where it has to be read. No task writes to it.
  std::optional<TileView> lent(plan::TileId tile) const;

  /// A whole tile that is in memory: dense in what a run took for it, else where it is lent.
  TileView view(plan::TileId tile, std::byte* owned) const;

 private:
  const plan::TaskGraph& graph_;
  const RunContext& context_;
  std::vector<const plan::TaskInfo*> reads_;  // by tile: the task that reads it; else null
  std::vector<bool> may_have_gaps_;           // by tile
};

/// By task, whether it reads or writes a tensor in memory: its source or sink says so.
std::vector<bool> tasks_in_memory(const plan::TaskGraph& graph, const RunContext& context);

}  // namespace tessera::runtime
