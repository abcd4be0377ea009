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

/// Which tiles of a plan are in memory while it runs under a budget for every space, and which make
/// room for others of their space.
///
/// A tile takes what it can take at most: that is what the store sets aside for it. It moves no
/// bytes. The simulation of paging.h and the runtime both drive it, so that what
/// EXPLAIN predicts and what a run does follow one policy: the tile to give up is, among those that
/// no running task uses, the one whose next use in the plan's order is farthest (Belady, IBM
/// Systems Journal 5(2), 1966). A tile that can be read again, from its source or from the spill
/// file, is dropped; any other is written to the spill file first.
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

  /// Made, needed again and not in memory.
  bool is_paged_out(TileId tile) const { return !is_in_memory(tile) && has_copy(tile); }
  int64_t num_paged_out() const { return num_paged_out_; }

  /// Whether its bytes can be read again.
  bool has_copy(TileId tile) const { return tiles_[tile.index()].has_copy; }

  /// Whether a spill or a load of one of the task's tiles is under way: it cannot start.
  bool waits_for_move(TaskId task) const;
  bool is_moving(TileId tile) const { return tiles_[tile.index()].moving; }

  /// Bytes that starting a task takes: its tiles that are not in memory and its workspace.
  SpaceBytes bytes_to_start(TaskId task) const;

  /// How to get room for so many bytes.
  struct Room {
    bool ready = false;              // there is room once `dropped` are dropped
    std::vector<TileId> dropped;     // tiles that have a copy
    std::optional<TileId> to_spill;  // not ready: the first tile to be written out
  };

  /// Room for `bytes`, in each of their spaces, at the cost of tiles whose next use is after the
  /// task `after` only. Nothing is written out for bytes that running tasks and moves free when
  /// they end, or that tiles read ahead take. Not ready with nothing to spill: tasks or moves have
  /// to end first.
  Room room_for(const SpaceBytes& bytes, TaskId after) const;

  /// A tile in memory came before its turn. It is so until a task uses it or it leaves memory. One
  /// that can be read again makes way for tiles that are needed before.
  void note_ahead(TileId tile, bool makes_way = true);
  int64_t bytes_ahead(SpaceId space) const { return at(space).bytes_ahead; }

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
    bool ahead = false;
  };

  using NextUse = std::pair<TaskId, TileId>;

  struct SpaceState {
    int64_t budget = 0;
    int64_t in_use = 0;
    int64_t leaving = 0;  // bytes of tiles that are being spilled
    int64_t ending = 0;   // bytes that nothing needs once the running tasks have ended
    int64_t bytes_ahead = 0;
    std::set<NextUse> victims;  // unpinned tiles
    std::set<NextUse> ahead;    // tiles that came ahead and make way
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
