#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "plan/residency.h"

namespace tessera::runtime {

/// One thing for a thread to do.
struct Action {
  enum class Kind {
    nothing,  // now
    task,     // allocate `fresh` and `loaded`, read `loaded` back, run `task`
    spill,    // write `tile` to the spill file, to make room for `task`
    load      // allocate and read back `tile`, ahead of `task`
  };
  Kind kind = Kind::nothing;
  plan::TaskId task;
  plan::TileId tile;
  std::vector<plan::TileId> dropped;  // to be released before anything is allocated
  std::vector<plan::TileId> fresh;
  std::vector<plan::TileId> loaded;
};

/// Decides what threads do next, so that the plan's order is kept as far as dependencies, workers
/// and the budget let it. It has no threads, no clock and no bytes: every answer follows from what
/// was asked and reported before.
///
/// A task starts when the tasks it waits for have finished and all bytes that it takes (outputs,
/// inputs that were paged out, workspace) are there at once, in every space that it touches. Why no
/// run is stuck under budgets of at least plan::smallest_budget: the *head*, the earliest task that
/// has not started, waits only for earlier ones, which all have started, hold all their bytes and
/// so finish. Its bytes are set aside: whatever else starts, is read ahead or loaded has to leave
/// room for them (only tiles of running tasks and of moves, which end, may be in the way). Then
/// nothing runs, every tile that the head does not use can be spilled or dropped, and it fits. So
/// there is always a head that starts.
///
/// Other tasks start in the plan's order as well and page nothing out that is needed before them:
/// the run stays close to the serial order, whose paging the plan predicts.
///
/// Threads: one at a time.
class Schedule {
 public:
  /// REQUIRES that the graph outlives it, and budgets of at least plan::smallest_budget(graph).
  Schedule(const plan::TaskGraph& graph, const plan::Budgets& budgets, size_t num_workers);

  /// What a worker does next: the earliest task that can start, or the spill that lets one start.
  Action next_for_worker();

  /// What the thread for reading and writing does next: the earliest read or write, then tiles of
  /// coming tasks that were paged out, then spills for their outputs.
  Action next_for_io();

  /// Tiles of a started task were read back, so that other tasks may use them.
  void loaded(const std::vector<plan::TileId>& tiles);

  /// An action was done. Returns the tiles whose bytes are to be released.
  std::vector<plan::TileId> finish(const Action& action);

  bool is_done() const { return num_finished_ == graph_.tasks.size(); }
  /// Whether no action is under way.
  bool is_idle() const { return num_running_ == 0; }
  /// Whether a worker, or the thread for reading and writing, may find something to do.
  bool has_ready_task() const { return !ready_[0].empty() || has_ready_transfer(); }
  bool has_io() const { return has_ready_transfer() || residency_.num_paged_out() > 0; }

 private:
  using TaskId = plan::TaskId;
  using TileId = plan::TileId;
  using Room = plan::Residency::Room;
  enum Queue : size_t { kCompute, kWrite, kRead };

  /// A ready task that waits for bytes, and the tile to be spilled for it, if one helps.
  struct Blocked {
    TaskId task;
    std::optional<TileId> to_spill;
  };

  /// The ready tasks of some queues in the plan's order.
  class Candidates;

  bool has_ready_transfer() const { return !ready_[kWrite].empty() || !ready_[kRead].empty(); }
  Queue queue_of(TaskId task) const;
  Action next_task(bool only_transfers, std::optional<Blocked>& blocked);
  Room room_to_start(TaskId task, const plan::SpaceBytes& bytes);
  Action start(TaskId task, const std::vector<TileId>& dropped);
  Action spill_for(const std::optional<Blocked>& blocked);
  Action next_load();
  Action next_spill_ahead();
  std::optional<TaskId> head();
  std::vector<TaskId> coming(size_t most);
  plan::SpaceBytes with_set_aside(TaskId task, const plan::SpaceBytes& bytes);
  bool may_read_ahead(const plan::SpaceBytes& bytes) const;
  TaskId first_reader(TaskId read) const;
  void drop(const std::vector<TileId>& tiles);

  const plan::TaskGraph& graph_;
  plan::Residency residency_;
  plan::Incidence<TaskId, TaskId> followers_;
  std::vector<size_t> waiting_for_;  // by task: how many that have not finished
  std::vector<bool> started_;
  std::array<std::set<TaskId>, 3> ready_;  // by queue
  plan::Budgets budgets_;
  size_t num_workers_;
  size_t head_ = 0;  // all tasks before it have started
  size_t num_finished_ = 0;
  size_t num_running_ = 0;  // actions
};

}  // namespace tessera::runtime
