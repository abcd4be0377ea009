#pragma once

#include <cstddef>
#include <vector>

#include "runtime/executor.h"

namespace tessera::runtime {

/// The tiles that may be read where they lie in a source's memory (store::TileSource::lend): those
/// that are read from one and that no task changes. Threads: any number at once.
class LentTiles {
 public:
  /// Both outlive it.
  LentTiles(const plan::TaskGraph& graph, const RunContext& context);

  /// Whether the source of the tile is asked for its bytes when it is read, so that no memory is
  /// taken for it before.
  bool may_be_lent(plan::TileId tile) const { return reads_[tile.index()] != nullptr; }

  /// The bytes of such a tile in its source; null where it has to be read. No task writes to them.
  std::byte* lent(plan::TileId tile) const;

 private:
  const plan::TaskGraph& graph_;
  const RunContext& context_;
  std::vector<const plan::TaskInfo*> reads_;  // by tile: the task that reads it; else null
};

/// By task, whether it reads or writes a tensor in memory: its source or sink says so.
std::vector<bool> tasks_in_memory(const plan::TaskGraph& graph, const RunContext& context);

}  // namespace tessera::runtime
