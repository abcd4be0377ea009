#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "plan/incidence.h"
#include "plan/memory.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// The tiles of a plan that are in memory while it runs under a budget for every space, and the
/// policy that pages them out for others of their space.
///
/// A tile is charged the most that it can take, which is what the store reserves for it. The class
/// moves no bytes itself. The simulation of paging.h and the runtime both drive it, so that
/// EXPLAIN's forecast and the run follow one policy. The victim is, among the tiles that no running
/// task uses, the one whose next use in the plan's order is farthest (Belady, IBM Systems Journal
/// 5(2), 1966). A tile that can be read again, from its source or from the spill file, is dropped;
/// any other is spilled first.
///
/// Threads: one at a time.
class Residency {
 public:
  /// REQUIRES that the graph outlives it.
  Residency(const TaskGraph& graph, const Budgets& budgets);

  int64_t bytes_in_use(SpaceId space) const { return at(space).in_use; }
  int64_t free_bytes(SpaceId space) const { return at(space).budget - at(space).in_use; }
  std::span<const TileId> tiles_of(TaskId task) const { return tiles_of_.of(task); }
  std::span<const TaskId> uses_of(TileId tile) const { return uses_of_.of(tile); }
  int64_t bytes_of(TileId tile) const { return tiles_[tile.index()].bytes; }
  SpaceId space_of(TileId tile) const { return graph_.tiles[tile.index()].space; }

  bool is_in_memory(TileId tile) const { return tiles_[tile.index()].in_memory; }

  /// True if a tile was made, is needed again and is not in memory.
  bool is_paged_out(TileId tile) const { return !is_in_memory(tile) && has_copy(tile); }
  int64_t num_paged_out() const { return num_paged_out_; }

  /// True if its bytes can be read again.
  bool has_copy(TileId tile) const { return tiles_[tile.index()].has_copy; }

  /// True if a spill or a reload of one of the task's tiles is in progress: the task cannot start.
  bool waits_for_move(TaskId task) const;
  bool is_moving(TileId tile) const { return tiles_[tile.index()].moving; }

  /// Returns the bytes that starting a task takes: its tiles that are not in memory and its
  /// workspace.
  SpaceBytes bytes_to_start(TaskId task) const;

  /// A plan to make room.
  struct Room {
    bool ready = false;              // room is there once `dropped` are dropped
    std::vector<TileId> dropped;     // tiles that have a copy
    std::optional<TileId> to_spill;  // if not ready: the first tile to spill
  };

  /// Plans room for `bytes`, in each of their spaces, at the cost of tiles whose next use is after
  /// the task `after` only. Nothing is spilled for bytes that running tasks and moves will free, or
  /// that prefetched tiles take. The result may be not ready with nothing to spill: tasks or moves
  /// have to end first.
  Room room_for(const SpaceBytes& bytes, TaskId after) const;

  /// Records that a tile was prefetched. It stays marked until a task uses it or it is evicted. If
  /// it can be read again, it gives way to tiles that are needed earlier.
  void note_ahead(TileId tile, bool makes_way = true);
  int64_t bytes_ahead(SpaceId space) const { return at(space).bytes_ahead; }

  /// Drops a tile that has a copy and that no task uses.
  void drop(TileId tile);

  /// Begins to spill a tile. When the spill ends, the tile is out of memory and has a copy.
  void begin_spill(TileId tile);
  void end_spill(TileId tile);

  /// Begins to reload a tile, which takes its bytes at once. REQUIRES room.
  void begin_load(TileId tile);
  void end_load(TileId tile);

  /// The tiles that a task needs allocated to start.
  struct Start {
    std::vector<TileId> fresh;   // to be allocated
    std::vector<TileId> loaded;  // to be allocated and read back: end_load for each
  };

  /// Starts a task: takes the bytes that it needs and pins its tiles. REQUIRES room for
  /// bytes_to_start and none of its tiles in a move.
  Start start(TaskId task);

  /// Ends a task. Returns the tiles that no task needs any more, which are freed.
  std::vector<TileId> finish(TaskId task);

 private:
  struct TileState {
    int64_t bytes = 0;
    size_t next_use = 0;   // index of its first use that has not started, in the list of its uses
    size_t uses_left = 0;  // uses that have not finished
    int32_t pins = 0;      // running tasks that use it
    bool in_memory = false;
    bool has_copy = false;
    bool moving = false;
    bool ahead = false;
  };

  using NextUse = std::pair<TaskId, TileId>;

  struct SpaceState {
    int64_t budget = 0;
    int64_t in_use = 0;
    int64_t leaving = 0;  // bytes of tiles that are being spilled
    int64_t ending = 0;   // bytes that are free once the running tasks have ended
    int64_t bytes_ahead = 0;
    std::set<NextUse> victims;  // unpinned tiles
    std::set<NextUse> ahead;    // prefetched tiles that give way
  };

  const SpaceState& at(SpaceId space) const { return spaces_[space.index()]; }
  SpaceState& space_with(TileId tile) { return spaces_[space_of(tile).index()]; }
  SpaceState& space_with(const TaskInfo& task) { return spaces_[graph_.space_of(task).index()]; }
  Room room_in(const SpaceState& space, int64_t bytes, TaskId after) const;
  Room room_without_spill(const SpaceState& space, int64_t missing, Room room, TaskId after,
                          NextUse nearest) const;
  TaskId next_use_of(TileId tile);
  void add_victim(TileId tile);
  void remove_victim(TileId tile);
  void note_in_turn(TileId tile);
  NextUse noted_use_of(TileId tile) const;
  void enter_memory(TileId tile);
  void leave_memory(TileId tile);
  void note_writes(const TaskInfo& task);

  const TaskGraph& graph_;
  std::vector<SpaceState> spaces_;
  int64_t num_paged_out_ = 0;
  Incidence<TaskId, TileId> tiles_of_;
  Incidence<TileId, TaskId> uses_of_;
  std::vector<bool> started_;
  std::vector<TileState> tiles_;
};

}  // namespace tessera::plan
