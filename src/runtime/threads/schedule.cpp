#include "runtime/threads/schedule.h"

#include <algorithm>
#include <utility>

#include "plan/dependencies.h"

namespace tessera::runtime {

namespace {

// Ready tasks that are considered for one that fits. The first nearly always does.
constexpr int kMostCandidates = 32;

// Tasks beyond the head whose tiles are loaded ahead.
constexpr size_t kLoadWindow = 32;

// Prefetching takes at most this share of the budget, and these bytes or those of two tasks: enough
// to keep a disk busy while kernels run, and so little that tiles are still in a cache when they
// are used, and are read into memory that others have left. If one of several workers has nothing
// to compute it may prefetch further: the next tasks in the plan may all wait for one chain, while
// those after it form another.
constexpr int64_t kAheadShare = 4;
constexpr int64_t kBytesAhead = int64_t{8} << 20;

}  // namespace

class Schedule::Candidates {
 public:
  Candidates(const std::array<std::set<TaskId>, kNumQueues>& queues, Share share) {
    for (size_t queue = 0; queue < queues.size(); ++queue) {
      const bool is_of_workers = queue == compute_queue || queue == memory_queue;
      const bool is_left_out = (share == Share::transfers && is_of_workers) ||
                               (share == Share::exchanges && queue != exchange_queue);
      next_[queue] = is_left_out ? queues[queue].end() : queues[queue].begin();
      end_[queue] = queues[queue].end();
    }
  }

  /// Takes the next one, or nothing.
  std::optional<TaskId> take() {
    std::optional<size_t> first;
    for (size_t queue = 0; queue < next_.size(); ++queue) {
      if (next_[queue] != end_[queue] && (!first || *next_[queue] < *next_[*first])) {
        first = queue;
      }
    }
    return first ? std::optional(*next_[*first]++) : std::nullopt;
  }

  void leave_out_reads() {
    next_[read_queue] = end_[read_queue];
    next_[memory_queue] = end_[memory_queue];
  }

 private:
  std::array<std::set<TaskId>::const_iterator, kNumQueues> next_;
  std::array<std::set<TaskId>::const_iterator, kNumQueues> end_;
};

Schedule::Schedule(const plan::TaskGraph& graph, const plan::Budgets& budgets, size_t num_workers,
                   std::vector<bool> in_memory)
    : graph_(graph),
      in_memory_(std::move(in_memory)),
      residency_(graph, budgets),
      started_(graph.tasks.size(), false),
      budgets_(budgets),
      num_workers_(num_workers) {
  const plan::Incidence<TaskId, TaskId> dependencies = plan::dependencies_of(graph);
  followers_ = dependencies.reversed(graph.tasks.size());
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    waiting_for_.push_back(dependencies.of(TaskId(static_cast<int64_t>(number))).size());
  }
  chain_exchanges();
  largest_task_ = plan::smallest_budget(graph, plan::kFirstSpace).bytes;
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    if (waiting_for_[number] == 0) {
      const TaskId task(static_cast<int64_t>(number));
      ready_[queue_of(task)].insert(task);
    }
  }
}

/// Chains exchanges: a send or a receive waits for the one before it in the same direction, and a
/// send for its offer.
void Schedule::chain_exchanges() {
  next_of_pair_.resize(graph_.tasks.size());
  std::map<std::pair<plan::TaskKind, plan::SiteId>, TaskId> last;
  for (size_t number = 0; number < graph_.tasks.size(); ++number) {
    const plan::TaskInfo& task = graph_.tasks[number];
    const TaskId id(static_cast<int64_t>(number));
    if (queue_of(id) != exchange_queue) {
      continue;
    }
    TaskId& before = last[{task.kind, task.peer}];
    if (before.valid()) {
      next_of_pair_[before.index()] = id;
      ++waiting_for_[number];
    }
    before = id;
    if (task.kind == plan::TaskKind::send) {
      sends_to_[task.peer].tasks.push_back(id);
      ++waiting_for_[number];
    }
  }
}

/// Notes that one of a task's dependencies is there.
void Schedule::release(TaskId task) {
  if (--waiting_for_[task.index()] == 0) {
    ready_[queue_of(task)].insert(task);
  }
}

void Schedule::offered(plan::SiteId by, int64_t num_messages) {
  Sends& sends = sends_to_[by];
  while (sends.num_offered < sends.tasks.size() &&
         static_cast<int64_t>(sends.num_offered) < num_messages) {
    release(sends.tasks[sends.num_offered++]);
  }
}

void Schedule::posted(TaskId task) {
  if (const TaskId next = next_of_pair_[task.index()]; next.valid()) {
    release(next);
  }
}

Schedule::Queue Schedule::queue_of(TaskId task) const {
  const bool in_memory = task.index() < in_memory_.size() && in_memory_[task.index()];
  switch (graph_.tasks[task.index()].kind) {
    case plan::TaskKind::read_source:
      return in_memory ? memory_queue : read_queue;
    case plan::TaskKind::write_sink:
      return in_memory ? compute_queue : write_queue;
    case plan::TaskKind::gather_source:
    case plan::TaskKind::compute:
    case plan::TaskKind::copy_box:
    case plan::TaskKind::move:
      return compute_queue;
    case plan::TaskKind::send:
    case plan::TaskKind::receive:
      return exchange_queue;
  }
  return compute_queue;
}

Action Schedule::next_for_worker() {
  std::optional<Blocked> blocked;
  Action action = next_task(Share::all, blocked);
  lacks_memory_ = blocked.has_value();
  return action.kind == Action::Kind::nothing ? spill_for(blocked) : action;
}

Action Schedule::next_for_io() {
  std::optional<Blocked> blocked;
  Action action = next_task(Share::transfers, blocked);
  if (action.kind == Action::Kind::nothing) {
    action = spill_for(blocked);
  }
  if (action.kind == Action::Kind::nothing) {
    action = next_load();
  }
  return action.kind == Action::Kind::nothing ? next_spill_ahead() : action;
}

Action Schedule::next_for_link() {
  std::optional<Blocked> blocked;
  return next_task(Share::exchanges, blocked);
}

/// Returns the next ready task in order. Once one waits for bytes, those behind it may start only
/// if they take none.
Action Schedule::next_task(Share share, std::optional<Blocked>& blocked) {
  Candidates candidates(ready_, share);
  const bool is_idle = share == Share::all && num_workers_ > 1 && ready_[compute_queue].empty();
  for (int tried = 0; tried < kMostCandidates; ++tried) {
    const std::optional<TaskId> task = candidates.take();
    if (!task) {
      break;
    }
    if (residency_.waits_for_move(*task) || (share == Share::exchanges && needs_load(*task))) {
      continue;
    }
    const plan::SpaceBytes bytes = residency_.bytes_to_start(*task);
    if (bytes.is_zero()) {
      return start(*task, {});
    }
    const bool is_ahead = comes_ahead(*task);
    if (blocked || (is_ahead && !may_come_ahead(*task, bytes, is_idle))) {
      candidates.leave_out_reads();
      continue;
    }
    const Room room = room_to_start(*task, bytes);
    if (room.ready) {
      return start(*task, room.dropped);
    }
    if (is_ahead) {
      candidates.leave_out_reads();
    } else {
      blocked = {*task, room.to_spill};
    }
  }
  return {};
}

/// True if it brings a tile that other tasks will need.
bool Schedule::comes_ahead(TaskId task) {
  const plan::TaskKind kind = graph_.tasks[task.index()].kind;
  return (kind == plan::TaskKind::read_source || kind == plan::TaskKind::receive) && task != head();
}

bool Schedule::may_come_ahead(TaskId task, const plan::SpaceBytes& bytes, bool is_idle) const {
  const bool is_received = graph_.tasks[task.index()].kind == plan::TaskKind::receive;
  const int64_t offered = receiving_ + bytes.of(plan::kFirstSpace);
  return may_read_ahead(bytes, is_idle) &&
         (!is_received || offered <= budgets_.of(plan::kFirstSpace) - largest_task_);
}

bool Schedule::needs_load(TaskId task) const {
  const std::span<const TileId> tiles = residency_.tiles_of(task);
  return std::any_of(tiles.begin(), tiles.end(),
                     [&](TileId tile) { return residency_.is_paged_out(tile); });
}

/// Returns room to start a task. A prefetched tile is worth only its own use, so it takes room only
/// from tiles that are needed later.
Schedule::Room Schedule::room_to_start(TaskId task, const plan::SpaceBytes& bytes) {
  return residency_.room_for(with_set_aside(task, bytes),
                             comes_ahead(task) ? first_reader(task) : task);
}

Action Schedule::start(TaskId task, const std::vector<TileId>& dropped) {
  const bool is_ahead = comes_ahead(task);
  const bool is_received = graph_.tasks[task.index()].kind == plan::TaskKind::receive;
  drop(dropped);
  ready_[queue_of(task)].erase(task);
  started_[task.index()] = true;
  plan::Residency::Start begun = residency_.start(task);
  for (const TileId tile : residency_.tiles_of(task)) {
    receiving_ += is_received ? residency_.bytes_of(tile) : 0;
    if (is_ahead) {
      residency_.note_ahead(tile, !is_received);  // a received tile is nowhere else any more
    }
  }
  ++num_running_;
  return {Action::Kind::task, task, {}, dropped, std::move(begun.fresh), std::move(begun.loaded)};
}

Action Schedule::spill_for(const std::optional<Blocked>& blocked) {
  if (!blocked || !blocked->to_spill) {
    return {};
  }
  residency_.begin_spill(*blocked->to_spill);
  ++num_running_;
  return {Action::Kind::spill, blocked->task, *blocked->to_spill, {}, {}, {}};
}

/// Returns the reload of a tile of a coming task that was paged out and has room.
Action Schedule::next_load() {
  if (residency_.num_paged_out() == 0) {
    return {};
  }
  for (const TaskId task : coming(kLoadWindow)) {
    for (const TileId tile : residency_.tiles_of(task)) {
      if (!residency_.is_paged_out(tile)) {
        continue;
      }
      const plan::SpaceBytes bytes(residency_.space_of(tile), residency_.bytes_of(tile));
      const plan::SpaceBytes wanted =
          task == head() ? residency_.bytes_to_start(task) : with_set_aside(task, bytes);
      const Room room = residency_.room_for(wanted, task);
      if (!room.ready || !may_read_ahead(bytes, false)) {
        return {};
      }
      drop(room.dropped);
      residency_.begin_load(tile);
      if (task != head()) {
        residency_.note_ahead(tile);
      }
      ++num_running_;
      return {Action::Kind::load, task, tile, room.dropped, {}, {tile}};
    }
  }
  return {};
}

/// Returns a spill that the next tasks, one for each worker, will ask for when they start.
Action Schedule::next_spill_ahead() {
  std::vector<int64_t> bytes(graph_.spaces.size(), 0);
  std::vector<TileId> counted;
  for (const TaskId task : coming(num_workers_)) {
    for (const TileId tile : residency_.tiles_of(task)) {
      if (!residency_.is_in_memory(tile) &&
          std::find(counted.begin(), counted.end(), tile) == counted.end()) {
        counted.push_back(tile);
        bytes[residency_.space_of(tile).index()] += residency_.bytes_of(tile);
      }
    }
    for (size_t number = 0; number < bytes.size(); ++number) {
      const plan::SpaceId space(static_cast<int64_t>(number));
      const Room room = residency_.room_for(plan::SpaceBytes(space, bytes[number]), task);
      if (bytes[number] <= budgets_.of(space) / 2 && room.to_spill) {
        return spill_for(Blocked{task, room.to_spill});
      }
    }
  }
  return {};
}

void Schedule::loaded(const std::vector<TileId>& tiles) {
  std::for_each(tiles.begin(), tiles.end(), [&](TileId tile) { residency_.end_load(tile); });
}

std::vector<plan::TileId> Schedule::finish(const Action& action) {
  --num_running_;
  if (action.kind == Action::Kind::spill) {
    residency_.end_spill(action.tile);
    return {action.tile};
  }
  if (action.kind == Action::Kind::load) {
    residency_.end_load(action.tile);
    return {};
  }
  ++num_finished_;
  if (graph_.tasks[action.task.index()].kind == plan::TaskKind::receive) {
    receiving_ -= residency_.bytes_of(residency_.tiles_of(action.task).front());
  }
  for (const TaskId follower : followers_.of(action.task)) {
    release(follower);
  }
  return residency_.finish(action.task);
}

bool Schedule::is_stuck() {
  const std::optional<TaskId> first = head();
  return num_running_ == 0 && first &&
         graph_.tasks[first->index()].kind != plan::TaskKind::send;  // its offer may come
}

std::optional<plan::TaskId> Schedule::head() {
  while (head_ < started_.size() && started_[head_]) {
    ++head_;
  }
  return head_ < started_.size() ? std::optional(TaskId(static_cast<int64_t>(head_)))
                                 : std::nullopt;
}

/// Returns the first tasks that have not started.
std::vector<plan::TaskId> Schedule::coming(size_t most) {
  std::vector<TaskId> tasks;
  head();
  const size_t end = std::min(started_.size(), head_ + 4 * most);
  for (size_t number = head_; number < end && tasks.size() < most; ++number) {
    if (!started_[number]) {
      tasks.emplace_back(static_cast<int64_t>(number));
    }
  }
  return tasks;
}

/// Returns these bytes and, in the same spaces, those that are reserved for the head.
plan::SpaceBytes Schedule::with_set_aside(TaskId task, const plan::SpaceBytes& bytes) {
  const std::optional<TaskId> first = head();
  if (!first || first == task) {
    return bytes;
  }
  const plan::SpaceBytes set_aside = residency_.bytes_to_start(*first);
  plan::SpaceBytes sum = bytes;
  for (const auto& [space, own] : bytes.entries()) {
    sum.add(space, set_aside.of(space));
  }
  return sum;
}

bool Schedule::may_read_ahead(const plan::SpaceBytes& bytes, bool is_idle) const {
  const int64_t useful = std::max(kBytesAhead, 2 * largest_task_);
  const auto fits = [&](const plan::SpaceBytes::Entry& entry) {
    const int64_t ahead = residency_.bytes_ahead(entry.space);
    const int64_t share = budgets_.of(entry.space) / kAheadShare;
    return ahead == 0 || ahead + entry.bytes <= (is_idle ? share : std::min(share, useful));
  };
  return std::all_of(bytes.entries().begin(), bytes.entries().end(), fits);
}

/// Returns the task that a read or a receive is for; itself if there is none.
plan::TaskId Schedule::first_reader(TaskId read) const {
  const std::span<const TaskId> uses = residency_.uses_of(residency_.tiles_of(read).front());
  const auto reader = std::upper_bound(uses.begin(), uses.end(), read);
  return reader == uses.end() ? read : *reader;
}

void Schedule::drop(const std::vector<TileId>& tiles) {
  std::for_each(tiles.begin(), tiles.end(), [&](TileId tile) { residency_.drop(tile); });
}

}  // namespace tessera::runtime
