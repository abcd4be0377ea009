#include <chrono>
#include <utility>

#include "base/error.h"
#include "plan/dependencies.h"
#include "runtime/executor.h"
#include "runtime/lent_tiles.h"
#include "runtime/prepared_kernels.h"
#include "runtime/task_body.h"

namespace tessera::runtime {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One run, with the places of its tiles.
class SerialRun : private TileBytes {
 public:
  SerialRun(const plan::TaskGraph& graph, const RunContext& context)
      : graph_(graph),
        context_(context),
        kernels_(graph, context.kernels),
        lent_(graph, context, kernels_),
        tiles_of_(plan::tiles_of(graph)),
        owned_(graph.tiles.size()) {}

  ~SerialRun() override {
    for (size_t tile = 0; tile < owned_.size(); ++tile) {
      release(owned_[tile], graph_.tiles[tile].space);
    }
    release(workspace_, workspace_space_);
  }
  SerialRun(const SerialRun&) = delete;
  SerialRun& operator=(const SerialRun&) = delete;

  RunReport run() {
    RunReport report;
    const Clock::time_point start = Clock::now();
    for (size_t number = 0; number < graph_.tasks.size(); ++number) {
      const plan::TaskId id(static_cast<int64_t>(number));
      check_not_cancelled(context_);
      const double task_start = seconds_since(start);
      int64_t moved_bytes = 0;
      try {
        allocate_for(id);
        if (!is_lent(graph_.tasks[number])) {
          moved_bytes = run_task(graph_, id, context_, kernels_, *this, workspace_);
        }
      } catch (Error& error) {
        const Origin& origin = graph_.tasks[number].origin;
        error.add_context(fmt::format("in {}", to_string(origin)), place_of(origin));
        throw;
      }
      free_after(id);
      report.tasks.push_back({task_start, seconds_since(start) - task_start, 0, moved_bytes});
      if (context_.listener != nullptr) {
        context_.listener->task_finished(id, report.tasks.back());
      }
    }
    report.seconds = seconds_since(start);
    report.peak_bytes = peak_bytes(context_);
    return report;
  }

 private:
  TileView view(plan::TileId tile) const override { return lent_.view(tile, owned_[tile.index()]); }

  /// True if the task reads a tile that its source has lent.
  bool is_lent(const plan::TaskInfo& task) const {
    return task.kind == plan::TaskKind::read_source &&
           owned_[task.outputs[0].tile.index()] == nullptr;
  }

  void allocate_for(plan::TaskId id) {
    for (const plan::TileId tile : tiles_of_.of(id)) {
      std::byte*& owned = owned_[tile.index()];
      if (owned == nullptr && !(lent_.may_be_lent(tile) && lent_.lent(tile))) {
        const plan::TileInfo& info = graph_.tiles[tile.index()];
        owned = store_of(info.space).allocate(bytes_of(info.type).at_most);
      }
    }
    const plan::TaskInfo& task = graph_.tasks[id.index()];
    if (task.workspace_bytes > 0) {
      workspace_space_ = graph_.space_of(task);
      workspace_ = store_of(workspace_space_).allocate(task.workspace_bytes);
    }
  }

  void free_after(plan::TaskId id) {
    release(workspace_, workspace_space_);
    for (const plan::TileId tile : tiles_of_.of(id)) {
      if (graph_.tiles[tile.index()].last_use == id) {
        release(owned_[tile.index()], graph_.tiles[tile.index()].space);
      }
    }
  }

  store::TileStore& store_of(plan::SpaceId space) const { return *context_.stores[space.index()]; }

  void release(std::byte*& memory, plan::SpaceId space) {
    if (memory != nullptr) {
      store_of(space).release(std::exchange(memory, nullptr));
    }
  }

  const plan::TaskGraph& graph_;
  const RunContext& context_;
  PreparedKernels kernels_;
  LentTiles lent_;
  plan::Incidence<plan::TaskId, plan::TileId> tiles_of_;
  std::vector<std::byte*> owned_;  // by tile; null if lent, or without bytes
  std::byte* workspace_ = nullptr;
  plan::SpaceId workspace_space_ = plan::kFirstSpace;
};

class SerialExecutor : public Executor {
 public:
  RunReport run(const plan::TaskGraph& graph, const RunContext& context) override {
    check_runnable(graph, context);
    return SerialRun(graph, context).run();
  }
};

}  // namespace

std::unique_ptr<Executor> make_serial_executor() {
  return std::make_unique<SerialExecutor>();
}

}  // namespace tessera::runtime
