#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "plan/residency.h"

namespace tessera::runtime {

/// The next action of a thread.
struct Action {
  enum class Kind {
    nothing,  // at present
    task,     // allocate `fresh` and `loaded`, read `loaded` back, run `task`
    spill,    // write `tile` to the spill file, to make room for `task`
    load      // allocate and read back `tile`, ahead of `task`
  };
  Kind kind = Kind::nothing;
  plan::TaskId task;
  plan::TileId tile;
  std::vector<plan::TileId> dropped;  // to release before anything is allocated
  std::vector<plan::TileId> fresh;
  std::vector<plan::TileId> loaded;
};

/// The scheduler of threads: it keeps to the plan's order as far as dependencies, workers and the
/// budget allow. It has no threads, no clock and no bytes: every answer follows from the earlier
/// questions and reports.
///
/// A task starts when the tasks it waits for have finished and all bytes that it takes (outputs,
/// inputs that were paged out, workspace) are there at once, in every space that it touches. No run
/// gets stuck under budgets of at least plan::smallest_budget, for this reason. The *head*, the
/// earliest task that has not started, waits only for earlier ones, which all have started, hold
/// all their bytes and so finish. Its bytes are reserved: every other start, prefetch or reload has
/// to leave room for them (only tiles of running tasks and of moves, which end, may be in the way).
/// When nothing else runs, every tile that the head does not use can be spilled or dropped, and it
/// fits. So there is always a head that starts.
///
/// Other tasks start in the plan's order too, and page out nothing that is needed before them: the
/// run stays close to the serial order, whose paging the plan predicts.
///
/// If the tasks are those of one site of several (plan/site_tasks.h), a receive takes its tile's
/// bytes when it starts, and so offers them to the sender; a send starts when its bytes are
/// offered. Both start in the plan's order for each pair of sites. No run gets stuck there either.
/// Consider the first task in the plan, over all sites, that has not ended. Everything it waits for
/// has ended, so it is the head of its site, or for a move of both. The only lasting obstacles are
/// tiles that wait for their sender. Tiles offered ahead of the head leave as many bytes as the
/// largest task takes, and those of earlier heads are earlier in the plan, so they have ended. So
/// it starts, and a move that has started on both sides ends.
///
/// Threads: one at a time.
class Schedule {
 public:
  /// `in_memory` marks the reads and writes that touch no file, by task: workers do them, because
  /// waking the other thread takes longer. All tasks beyond its length do. REQUIRES that the graph
  /// outlives it, and budgets of at least plan::smallest_budget(graph).
  Schedule(const plan::TaskGraph& graph, const plan::Budgets& budgets, size_t num_workers,
           std::vector<bool> in_memory = {});

  /// Returns a worker's next action: the earliest task that can start, or the spill that lets one
  /// start.
  Action next_for_worker();

  /// Returns the next action of the thread for reading and writing: the earliest read or write,
  /// then tiles of coming tasks that were paged out, then spills for their outputs.
  Action next_for_io();

  /// Returns the next action of the link's thread: a send or a receive whose tile needs no reading.
  Action next_for_link();

  /// Notes that a site has offered memory for `num_messages` messages since the run began.
  void offered(plan::SiteId by, int64_t num_messages);

  /// Notes that the link has a send or a receive that started: the next of the pair may follow it.
  void posted(plan::TaskId task);

  /// Notes that tiles of a started task were read back, so that other tasks may use them.
  void loaded(const std::vector<plan::TileId>& tiles);

  /// Notes that an action is done. Returns the tiles whose bytes are to be released.
  std::vector<plan::TileId> finish(const Action& action);

  bool is_done() const { return num_finished_ == graph_.tasks.size(); }
  /// True if nothing is in progress and nothing will come from another site, so that no task could
  /// ever start.
  bool is_stuck();
  /// True if the last worker that was given nothing would have had a task, if not for its bytes.
  bool lacks_memory() const { return lacks_memory_; }
  /// True if a worker, or the thread for reading and writing, may find something to do.
  bool has_ready_task() const {
    return !ready_[compute_queue].empty() || !ready_[memory_queue].empty() || has_ready_transfer();
  }
  bool has_io() const { return has_ready_transfer() || residency_.num_paged_out() > 0; }

 private:
  using TaskId = plan::TaskId;
  using TileId = plan::TileId;
  using Room = plan::Residency::Room;
  /// Reads in memory have a queue of their own; writes in memory are queued with computing.
  enum Queue : size_t { compute_queue, memory_queue, write_queue, read_queue, exchange_queue };
  static constexpr size_t kNumQueues = 5;

  /// The tasks that a thread considers.
  enum class Share { all, transfers, exchanges };

  /// A ready task that waits for bytes, and the tile to spill for it, if one helps.
  struct Blocked {
    TaskId task;
    std::optional<TileId> to_spill;
  };

  /// The sends to one site, and the number of them whose bytes are offered.
  struct Sends {
    std::vector<TaskId> tasks;
    size_t num_offered = 0;
  };

  /// The ready tasks of some queues in the plan's order.
  class Candidates;

  bool has_ready_transfer() const {
    return !ready_[write_queue].empty() || !ready_[read_queue].empty() ||
           !ready_[exchange_queue].empty();
  }
  Queue queue_of(TaskId task) const;
  void chain_exchanges();
  void release(TaskId task);
  bool comes_ahead(TaskId task);
  bool may_come_ahead(TaskId task, const plan::SpaceBytes& bytes, bool is_idle) const;
  bool needs_load(TaskId task) const;
  Action next_task(Share share, std::optional<Blocked>& blocked);
  Room room_to_start(TaskId task, const plan::SpaceBytes& bytes);
  Action start(TaskId task, const std::vector<TileId>& dropped);
  Action spill_for(const std::optional<Blocked>& blocked);
  Action next_load();
  Action next_spill_ahead();
  std::optional<TaskId> head();
  std::vector<TaskId> coming(size_t most);
  plan::SpaceBytes with_set_aside(TaskId task, const plan::SpaceBytes& bytes);
  bool may_read_ahead(const plan::SpaceBytes& bytes, bool is_idle) const;
  TaskId first_reader(TaskId read) const;
  void drop(const std::vector<TileId>& tiles);

  const plan::TaskGraph& graph_;
  std::vector<bool> in_memory_;
  plan::Residency residency_;
  plan::Incidence<TaskId, TaskId> followers_;
  std::vector<size_t> waiting_for_;  // by task: the number that have not finished
  std::vector<bool> started_;
  std::array<std::set<TaskId>, kNumQueues> ready_;  // by queue
  std::vector<TaskId> next_of_pair_;  // by task: the next send or receive in the same direction
  std::map<plan::SiteId, Sends> sends_to_;
  int64_t receiving_ = 0;     // bytes of tiles that wait for their senders
  int64_t largest_task_ = 0;  // bytes of the largest: prefetched offers leave as many
  plan::Budgets budgets_;
  size_t num_workers_;
  size_t head_ = 0;  // all tasks before it have started
  size_t num_finished_ = 0;
  size_t num_running_ = 0;  // actions
  bool lacks_memory_ = false;
};

}  // namespace tessera::runtime
