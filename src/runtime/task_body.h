#pragma once

#include "runtime/executor.h"
#include "runtime/prepared_kernels.h"

namespace tessera::runtime {

/// The places of a task's tiles while it runs.
class TileBytes {
 public:
  virtual ~TileBytes() = default;
  /// Returns the whole tile, dense unless its source has lent it. REQUIRES that it is in memory.
  virtual TileView view(plan::TileId tile) const = 0;
};

/// Throws the `interrupted` Error of a run that was cancelled.
void check_not_cancelled(const RunContext& context);

/// Throws an `unsupported` Error for a plan with a space that has no store in this process, or with
/// rows.
void check_runnable(const plan::TaskGraph& graph, const RunContext& context);

/// Returns the sum of the peaks of all stores.
int64_t peak_bytes(const RunContext& context);

/// Runs a task, except half of a move: reads, computes, copies or writes. Its tiles are in memory,
/// and its workspace has the plan's bytes. Returns the bytes it copied between spaces. Errors:
/// those of the source or sink; `user` for a fault of the data. Threads: any number at once, on
/// tasks that do not wait for each other.
int64_t run_task(const plan::TaskGraph& graph, plan::TaskId task, const RunContext& context,
                 const PreparedKernels& kernels, const TileBytes& tiles, std::byte* workspace);

}  // namespace tessera::runtime
