#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/context.h"
#include "net/link.h"
#include "plan/task_graph.h"
#include "store/tile_io.h"
#include "store/tile_store.h"

namespace tessera::runtime {

/// The timing of a task, in seconds since the run began, with its worker and the bytes it moved.
struct TaskTiming {
  double start = 0;
  double seconds = 0;
  int32_t worker = 0;
  int64_t moved_bytes = 0;  // copied to another space, sent or received
};

/// A listener to a run, such as a progress bar. Threads: called by any thread of the run, one at a
/// time.
class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void task_finished(plan::TaskId task, const TaskTiming& timing) = 0;
};

/// The environment of a run. Everything is borrowed for its duration.
struct RunContext {
  std::vector<store::TileStore*> stores;  // by space of the plan; null for an unreachable one
  const kernels::Context& kernels;
  std::map<std::string, const store::TileSource*> sources;  // by the name of the input
  std::map<std::string, store::TileSink*> sinks;  // by the name of the result; the caller commits
  const std::atomic<bool>* cancelled =
      nullptr;  // once true, the run ends with an `interrupted` error
  RunListener* listener = nullptr;
  net::Link* link = nullptr;  // to the processes of the other sites, if the plan is one of
                              // several sites' (plan/site_tasks.h): site n is process n
};

/// Seconds of waiting in a run, by cause.
struct WaitingSeconds {
  double input = 0;   // an idle worker: no task had its data, from files, tasks or sites
  double memory = 0;  // an idle worker: ready tasks had no room, here or elsewhere
  double worker = 0;  // a ready task: all workers were busy

  WaitingSeconds& operator+=(const WaitingSeconds& other) {
    input += other.input;
    memory += other.memory;
    worker += other.worker;
    return *this;
  }
};

/// The costs of a run.
struct RunReport {
  std::vector<TaskTiming> tasks;  // by task
  double seconds = 0;             // of the whole run
  WaitingSeconds waiting;         // summed over processes; empty for a serial run
  int64_t peak_bytes = 0;         // of tiles and workspace: the sum of the peaks of all spaces
  int64_t spilled_bytes = 0;      // written to the spill file to make room
  int64_t num_spills = 0;         // tiles written to it
  int64_t copied_bytes = 0;       // of sources, written to it because reading again is expensive
  std::vector<int32_t> spills;    // by tile; empty if there was none
  std::string note;               // a note to the user about spilling; empty if none
};

/// An executor, which runs a TaskGraph and decides nothing.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs a plan. REQUIRES a verified graph, a source for every input and a sink for every result,
  /// with the graph's types. Errors: that of the first task that failed, with the statement it
  /// belongs to; `unsupported`, before anything runs, for a space that has no store here. Threads:
  /// one run at a time.
  virtual RunReport run(const plan::TaskGraph& graph, const RunContext& context) = 0;
};

/// Makes an executor of one task after the other, in the plan's order, without paging: the readable
/// reference. Errors: also `resource` if a store's budget is below the plan's peak in its space.
std::unique_ptr<Executor> make_serial_executor();

struct ThreadsOptions {
  int32_t num_workers = 1;      // computing threads; one more reads and writes ahead of them
  std::string spill_directory;  // for tiles, when a store's budget is used up
};

/// Makes an executor on all cores of a machine, within the budgets of the stores: tasks start in
/// the plan's order as soon as their inputs are there and their bytes are free. The bits are those
/// of the serial run for any number of workers and any budget. Errors: also `resource`, before
/// anything runs, if a budget is below plan::smallest_budget, and for a full disk.
std::unique_ptr<Executor> make_threads_executor(ThreadsOptions options);

}  // namespace tessera::runtime
