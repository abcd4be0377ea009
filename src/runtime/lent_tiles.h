#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/executor.h"
#include "runtime/prepared_kernels.h"

namespace tessera::runtime {

/// The tiles that may be read in place in a source's memory (store::TileSource::lend): those that
/// are read from one and that no task changes. If there are gaps between the rows, a single kernel
/// must read the tile, once, in runs of kShortestRun bytes or more: a copy would take as long as
/// the kernel, while several readers read rows again, which a cache then keeps better.
///
/// Threads: any number at once.
class LentTiles {
 public:
  static constexpr int64_t kShortestRun = 256;

  /// Borrows its arguments, which outlive it.
  LentTiles(const plan::TaskGraph& graph, const RunContext& context,
            const PreparedKernels& kernels);

  /// True if the source of the tile is asked for its bytes when it is read, so that no memory is
  /// taken for it before.
  bool may_be_lent(plan::TileId tile) const { return reads_[tile.index()] != nullptr; }

  /// Returns such a tile in its source; nothing if it has to be read. No task writes to it.
  std::optional<TileView> lent(plan::TileId tile) const;

  /// Returns a whole tile that is in memory: dense in the run's own bytes, or in its lender's.
  TileView view(plan::TileId tile, std::byte* owned) const;

 private:
  const plan::TaskGraph& graph_;
  const RunContext& context_;
  std::vector<const plan::TaskInfo*> reads_;  // by tile: the task that reads it; else null
  std::vector<bool> may_have_gaps_;           // by tile
};

/// Returns, by task, true if it reads or writes a tensor in memory, as its source or sink tells.
std::vector<bool> tasks_in_memory(const plan::TaskGraph& graph, const RunContext& context);

}  // namespace tessera::runtime
