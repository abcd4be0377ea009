#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "plan/incidence.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Which tiles of a plan are in memory while it runs under a budget, and which make room for
/// others.
///
/// It moves no bytes. The simulation of paging.h and the runtime both drive it, so that what
/// EXPLAIN predicts and what a run does follow one policy: the tile to give up is, among those that
/// no running task uses, the one whose next use in the plan's order is farthest (Belady, IBM
/// Systems Journal 5(2), 1966). A tile that can be read again, from its source or from the spill
/// file, is dropped; any other is written to the spill file first.
///
/// Threads: one at a time.
class Residency {
 public:
  /// REQUIRES that the graph outlives it.
  Residency(const TaskGraph& graph, int64_t budget);

  int64_t bytes_in_use() const { return in_use_; }
  int64_t free_bytes() const { return budget_ - in_use_; }
  std::span<const TileId> tiles_of(TaskId task) const { return tiles_of_.of(task); }
  std::span<const TaskId> uses_of(TileId tile) const { return uses_of_.of(tile); }
  int64_t bytes_of(TileId tile) const { return tiles_[tile.index()].bytes; }

  bool is_in_memory(TileId tile) const { return tiles_[tile.index()].in_memory; }

  /// Made, needed again and not in memory.
  bool is_paged_out(TileId tile) const { return !is_in_memory(tile) && has_copy(tile); }
  int64_t num_paged_out() const { return num_paged_out_; }

  /// Whether its bytes can be read again.
  bool has_copy(TileId tile) const { return tiles_[tile.index()].has_copy; }

  /// Whether a spill or a load of one of the task's tiles is under way: it cannot start.
  bool waits_for_move(TaskId task) const;
  bool is_moving(TileId tile) const { return tiles_[tile.index()].moving; }

  /// Bytes that starting a task takes: its tiles that are not in memory and its workspace.
  int64_t bytes_to_start(TaskId task) const;

  /// How to get room for so many bytes.
  struct Room {
    bool ready = false;              // there is room once `dropped` are dropped
    std::vector<TileId> dropped;     // tiles that have a copy
    std::optional<TileId> to_spill;  // not ready: the first tile to be written out
  };

  /// Room for `bytes` at the cost of tiles whose next use is after the task `after` only. Not ready
  /// with nothing to spill: running tasks or moves have to end first.
  Room room_for(int64_t bytes, TaskId after) const;

  /// Gives up a tile that has a copy and that no task uses.
  void drop(TileId tile);

  /// A tile is written to the spill file, then it is out of memory and has a copy.
  void begin_spill(TileId tile);
  void end_spill(TileId tile);

  /// A tile is read back; it takes its bytes at once. REQUIRES room.
  void begin_load(TileId tile);
  void end_load(TileId tile);

  /// What a task that starts has to do about its tiles.
  struct Start {
    std::vector<TileId> fresh;   // to be allocated
    std::vector<TileId> loaded;  // to be allocated and read back: end_load for each
  };

  /// Starts a task: takes the bytes that it needs and pins its tiles. REQUIRES room for
  /// bytes_to_start and none of its tiles in a move.
  Start start(TaskId task);

  /// Ends a task; returns the tiles that no task needs any more, which are gone.
  std::vector<TileId> finish(TaskId task);

 private:
  struct TileState {
    int64_t bytes = 0;
    size_t next_use = 0;   // its first use that has not started, as a place in the list of its uses
    size_t uses_left = 0;  // that have not finished
    int32_t pins = 0;      // tasks that run with it
    bool in_memory = false;
    bool has_copy = false;
    bool moving = false;
  };

  TaskId next_use_of(TileId tile);
  void add_victim(TileId tile);
  void remove_victim(TileId tile);
  void enter_memory(TileState& state);
  void leave_memory(TileState& state);
  void note_writes(const TaskInfo& task);

  const TaskGraph& graph_;
  int64_t budget_;
  int64_t in_use_ = 0;
  int64_t leaving_ = 0;  // bytes of tiles that are being spilled
  int64_t num_paged_out_ = 0;
  Incidence<TaskId, TileId> tiles_of_;
  Incidence<TileId, TaskId> uses_of_;
  std::vector<bool> started_;
  std::vector<TileState> tiles_;
  std::set<std::pair<TaskId, TileId>> victims_;  // unpinned tiles by their next use
};

}  // namespace tessera::plan
