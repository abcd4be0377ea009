#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "net/messages.h"
#include "plan/memory.h"
#include "plan/plan_size.h"
#include "plan/site_tasks.h"
#include "runtime/executor.h"
#include "runtime/lent_tiles.h"
#include "runtime/prepared_kernels.h"
#include "runtime/threads/exchange.h"
#include "runtime/threads/first_failure.h"
#include "runtime/threads/paged_tiles.h"
#include "runtime/threads/schedule.h"
#include "runtime/threads/waiting_clock.h"

namespace tessera::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// The interval at which a waiting thread checks for cancellation.
constexpr std::chrono::milliseconds kCancelPoll(50);

plan::Budgets budgets_of(const RunContext& context) {
  std::vector<int64_t> budgets;
  for (const store::TileStore* store : context.stores) {
    budgets.push_back(store->usage().budget);
  }
  return plan::Budgets(std::move(budgets));
}

/// Returns the budgets of the stores less, in the first space, the plan's own bytes.
plan::Budgets budgets_with_plan(const plan::TaskGraph& graph, const RunContext& context) {
  std::vector<int64_t> budgets;
  for (const store::TileStore* store : context.stores) {
    budgets.push_back(store->usage().budget +
                      (budgets.empty() ? plan::counted_plan_bytes(graph) : 0));
  }
  return plan::Budgets(std::move(budgets));
}

/// One run. The calling thread is worker 0; the thread behind the last worker reads and writes
/// ahead of them. If there are other sites, the link's thread is one more: it starts sends and
/// receives as they become possible, which are in progress until it reports that they are done.
class ThreadedRun : private net::Listener {
 public:
  ThreadedRun(const plan::TaskGraph& graph, const RunContext& context,
              const ThreadsOptions& options)
      : graph_(graph),
        context_(context),
        kernels_(graph, context.kernels),
        tiles_(graph, context, kernels_, options.spill_directory),
        num_workers_(options.num_workers),
        schedule_(graph, budgets_of(context), static_cast<size_t>(num_workers_),
                  tasks_in_memory(graph, context)),
        timings_(graph.tasks.size()),
        exchange_(graph, context.link) {}

  RunReport run() {
    exchange_.listen(this);
    for (int32_t site = 0; site < exchange_.num_sites(); ++site) {
      offered(site);  // the offers that came before anyone listened
    }
    work_on_all_threads();
    if (failure_) {
      exchange_.fail(failure_.error());
    }
    exchange_.listen(nullptr);  // nothing of the run is in progress any more
    if (failure_) {
      throw Error(failure_.error());
    }
    RunReport report;
    report.tasks = std::move(timings_);
    report.seconds = seconds();
    report.waiting = waiting_.seconds();
    report.peak_bytes = peak_bytes(context_);
    report.spilled_bytes = tiles_.spilled_bytes();
    report.num_spills = tiles_.num_spills();
    report.copied_bytes = tiles_.copied_bytes();
    report.spills = tiles_.spills();
    report.note = tiles_.note();
    return report;
  }

 private:
  enum class Role { worker, io };

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  void work_on_all_threads() {
    std::vector<std::jthread> threads;
    try {
      threads.emplace_back([this] { work(Role::io, num_workers_); });
      for (int32_t worker = 1; worker < num_workers_; ++worker) {
        threads.emplace_back([this, worker] { work(Role::worker, worker); });
      }
    } catch (const std::system_error&) {
      // The system has no more threads for us; the existing ones do all the work.
    }
    work(Role::worker, 0);
  }

  void offered(int32_t by) override {
    std::unique_lock lock(mutex_);
    schedule_.offered(plan::SiteId(by), exchange_.num_offered(by));
    start_exchanges(lock);
    wake_others();
  }

  void failed(const net::Failure& failure) override {
    const std::lock_guard lock(mutex_);
    failure_.add(plan::TaskId(), net::error_of(*context_.link, failure));
    wake_all();
  }

  /// The body of every thread. No exception leaves it: the others would wait for ever.
  void work(Role role, int32_t worker) noexcept {
    std::unique_lock lock(mutex_);
    try {
      work_until_over(role, worker, lock);
    } catch (const std::exception& error) {
      failure_.add(plan::TaskId(), Error(ErrorKind::internal, error.what()));
    }
    wake_all();
  }

  void work_until_over(Role role, int32_t worker, std::unique_lock<std::mutex>& lock) {
    while (!failure_ && !schedule_.is_done()) {
      const Action action =
          role == Role::worker ? schedule_.next_for_worker() : schedule_.next_for_io();
      if (action.kind == Action::Kind::nothing) {
        wake_others();
        wait(role, lock);
      } else {
        carry_out(action, worker, lock);
        give_way(lock);
      }
      look_for_cancel();
    }
  }

  /// Lets the link's thread look at arrivals if it shares a core with this one: it would wait for
  /// the end of a time slice, which many small tasks take.
  void give_way(std::unique_lock<std::mutex>& lock) const {
    if (exchange_.num_sites() > 0) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
  }

  void wait(Role role, std::unique_lock<std::mutex>& lock) {
    if (role == Role::worker && schedule_.is_stuck()) {
      failure_.add(plan::TaskId(), Error(ErrorKind::internal, "no task of the run can start"));
      return;
    }
    std::condition_variable& woken = role == Role::worker ? for_workers_ : for_io_;
    int& waiting = role == Role::worker ? workers_waiting_ : io_waiting_;
    ++waiting;
    note_waiting();
    if (context_.cancelled == nullptr) {
      woken.wait(lock);
    } else {
      woken.wait_for(lock, kCancelPoll);
    }
    --waiting;
    note_waiting();
  }

  /// Notes a change in what waits for what.
  void note_waiting() {
    using For = WaitingClock::For;
    const For idle = schedule_.lacks_memory() ? For::memory : For::input;
    const For busy = schedule_.has_ready_task() ? For::worker : For::nothing;
    waiting_.change(workers_waiting_ > 0 ? idle : busy, seconds());
  }

  void look_for_cancel() {
    try {
      check_not_cancelled(context_);
    } catch (Error& error) {
      failure_.add(plan::TaskId(), std::move(error));
    }
  }

  /// Starts exchanges, on the link's thread, which must not wait for a disk.
  void start_exchanges(std::unique_lock<std::mutex>& lock) {
    while (!failure_) {
      const Action action = schedule_.next_for_link();
      if (action.kind == Action::Kind::nothing) {
        return;
      }
      carry_out(action, link_thread(), lock);
    }
  }

  int32_t link_thread() const { return num_workers_ + 1; }

  bool is_exchange(const Action& action) const {
    return action.kind == Action::Kind::task &&
           plan::is_half_of_move(graph_.tasks[action.task.index()]);
  }

  /// Gives the link a send or a receive whose tile is in memory.
  void post(const Action& action, double start) {
    const plan::TaskInfo& task = graph_.tasks[action.task.index()];
    const plan::Argument& moved =
        task.kind == plan::TaskKind::send ? task.inputs[0] : task.outputs[0];
    exchange_.post(action.task, tiles_.of(moved.tile),
                   [this, action, start](int64_t bytes) { end_exchange(action, start, bytes); });
    schedule_.posted(action.task);
    wake_others();
  }

  void end_exchange(const Action& action, double start, int64_t bytes) noexcept {
    note_finished(action.task, {start, seconds() - start, link_thread(), bytes});
    std::unique_lock lock(mutex_);
    if (!failure_) {
      finish(action);
      start_exchanges(lock);
      wake_others();
    }
    if (schedule_.is_done()) {
      wake_all();
    }
  }

  /// Carries out an action with the lock released while bytes move and kernels run. A send or a
  /// receive is in progress afterwards.
  void carry_out(const Action& action, int32_t worker, std::unique_lock<std::mutex>& lock) {
    std::byte* workspace = nullptr;
    bool is_posted = false;
    try {
      workspace = take_memory(action);
      wake_others();
      lock.unlock();
      const double start = seconds();
      move_bytes(action, lock);
      if (action.kind == Action::Kind::task && !is_exchange(action)) {
        const int64_t moved_bytes = do_task(action.task, workspace);
        note_finished(action.task, {start, seconds() - start, worker, moved_bytes});
      }
      lock.lock();
      if (is_exchange(action) && !failure_) {
        post(action, start);
        is_posted = true;
      }
    } catch (...) {
      if (!lock.owns_lock()) {
        lock.lock();
      }
      failure_.add(action.task, error_of(action, graph_));
    }
    if (workspace != nullptr) {
      store_of(action).release(workspace);
    }
    if (!failure_ && !is_posted) {
      finish(action);
    }
  }

  /// Runs a task; reads a tile in place if it may. Returns the bytes that it copied to another
  /// space.
  int64_t do_task(plan::TaskId id, std::byte* workspace) {
    const plan::TaskInfo& task = graph_.tasks[id.index()];
    if (task.kind == plan::TaskKind::read_source) {
      tiles_.load(task.outputs[0].tile);
      return 0;
    }
    return run_task(graph_, id, context_, kernels_, tiles_, workspace);
  }

  /// Allocates the tiles of an action. Returns the workspace of a task, null if it has none.
  std::byte* take_memory(const Action& action) {
    for (const plan::TileId tile : action.dropped) {
      tiles_.release_memory(tile);
    }
    for (const std::vector<plan::TileId>* list : {&action.fresh, &action.loaded}) {
      for (const plan::TileId tile : *list) {
        tiles_.allocate(tile);
      }
    }
    const int64_t bytes =
        action.kind == Action::Kind::task ? graph_.tasks[action.task.index()].workspace_bytes : 0;
    return bytes > 0 ? store_of(action).allocate(bytes) : nullptr;
  }

  /// Returns the store of a task's workspace.
  store::TileStore& store_of(const Action& action) const {
    const plan::TaskInfo& task = graph_.tasks[action.task.index()];
    return *context_.stores[graph_.space_of(task).index()];
  }

  void move_bytes(const Action& action, std::unique_lock<std::mutex>& lock) {
    if (action.kind == Action::Kind::spill) {
      tiles_.spill(action.tile);
    }
    for (const plan::TileId tile : action.loaded) {
      tiles_.load(tile);
    }
    if (action.kind == Action::Kind::task && !action.loaded.empty()) {
      lock.lock();
      schedule_.loaded(action.loaded);
      wake_others();
      lock.unlock();
    }
  }

  void finish(const Action& action) {
    if (action.kind == Action::Kind::task) {
      for (const plan::Argument& output : graph_.tasks[action.task.index()].outputs) {
        tiles_.forget_copy(output.tile);
      }
    }
    for (const plan::TileId tile : schedule_.finish(action)) {
      tiles_.release_memory(tile);
      if (action.kind == Action::Kind::task) {
        tiles_.forget_copy(tile);
      }
    }
    note_waiting();
  }

  void note_finished(plan::TaskId task, const TaskTiming& timing) {
    timings_[task.index()] = timing;
    if (context_.listener != nullptr) {
      const std::lock_guard one_at_a_time(listener_mutex_);
      context_.listener->task_finished(task, timing);
    }
  }

  /// Wakes one thread of each kind that may find work; that one wakes the next when it has taken
  /// it. A thread that has finished something first takes the work it can do itself: a thread woken
  /// for that would find nothing, and on few cores take the place of a worker.
  void wake_others() {
    if (workers_waiting_ > 0 && schedule_.has_ready_task()) {
      for_workers_.notify_one();
    }
    if (io_waiting_ > 0 && schedule_.has_io()) {
      for_io_.notify_one();
    }
  }

  void wake_all() {
    for_workers_.notify_all();
    for_io_.notify_all();
  }

  const plan::TaskGraph& graph_;
  const RunContext& context_;
  PreparedKernels kernels_;
  PagedTiles tiles_;
  int32_t num_workers_;
  const Clock::time_point begin_ = Clock::now();

  std::mutex mutex_;  // of the members below, and of the set of tiles in memory
  Schedule schedule_;
  WaitingClock waiting_;
  FirstFailure failure_;
  int workers_waiting_ = 0;
  int io_waiting_ = 0;
  std::condition_variable for_workers_;
  std::condition_variable for_io_;

  std::vector<TaskTiming> timings_;  // each written by the thread that runs the task
  std::mutex listener_mutex_;
  Exchange exchange_;
};

class ThreadsExecutor : public Executor {
 public:
  explicit ThreadsExecutor(ThreadsOptions options) : options_(std::move(options)) {}

  RunReport run(const plan::TaskGraph& graph, const RunContext& context) override {
    check_runnable(graph, context);
    plan::check_budget(graph, budgets_with_plan(graph, context));
    return ThreadedRun(graph, context, options_).run();
  }

 private:
  ThreadsOptions options_;
};

}  // namespace

std::unique_ptr<Executor> make_threads_executor(ThreadsOptions options) {
  return std::make_unique<ThreadsExecutor>(std::move(options));
}

}  // namespace tessera::runtime
