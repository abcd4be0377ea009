#include <chrono>

#include "base/error.h"
#include "runtime/executor.h"
#include "runtime/prepared_kernels.h"

namespace tessera::runtime {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_not_cancelled(const RunContext& context) {
  if (context.cancelled != nullptr && context.cancelled->load(std::memory_order_relaxed)) {
    throw_error(ErrorKind::interrupted, "the run was stopped; nothing was written");
  }
}

/// One run: where its tiles are.
class SerialRun {
 public:
  SerialRun(const plan::TaskGraph& graph, const RunContext& context)
      : graph_(graph),
        context_(context),
        kernels_(graph, context.kernels),
        data_(graph.tiles.size()),
        workspace_(context.store.allocate(kernels_.workspace_bytes())) {}

  ~SerialRun() {
    for (std::byte* tile : data_) {
      if (tile != nullptr) {
        context_.store.release(tile);
      }
    }
    context_.store.release(workspace_);
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
      try {
        run_task(id);
      } catch (Error& error) {
        error.add_context(fmt::format("in {}", to_string(graph_.tasks[number].origin)));
        throw;
      }
      free_after(id);
      report.tasks.push_back({task_start, seconds_since(start) - task_start, 0});
      if (context_.listener != nullptr) {
        context_.listener->task_finished(id, report.tasks.back());
      }
    }
    report.seconds = seconds_since(start);
    report.peak_bytes = context_.store.usage().peak;
    return report;
  }

 private:
  void run_task(plan::TaskId id) {
    const plan::TaskInfo& task = graph_.tasks[id.index()];
    for (const plan::Argument& output : task.outputs) {
      allocate(output.tile);
    }
    switch (task.kind) {
      case plan::TaskKind::read_source:
        context_.sources.at(task.name)->read(view_of(task.outputs[0]));
        return;
      case plan::TaskKind::compute:
        compute(id, task);
        return;
      case plan::TaskKind::copy_box:
        copy_elements(view_of(task.inputs[0]), view_of(task.outputs[0]));
        return;
      case plan::TaskKind::write_sink:
        context_.sinks.at(task.name)->write(with_bare_modes(view_of(task.inputs[0])));
        return;
    }
  }

  void compute(plan::TaskId id, const plan::TaskInfo& task) {
    std::vector<TileView> inputs;
    std::vector<TileView> outputs;
    for (const plan::Argument& argument : task.inputs) {
      inputs.push_back(view_of(argument));
    }
    for (const plan::Argument& argument : task.outputs) {
      outputs.push_back(view_of(argument));
    }
    const kernels::Status status = kernels_.of(id).run(
        {inputs, outputs, task.shape.ranges, task.shape.accumulate, workspace_});
    TESSERA_USER_CHECK(status == kernels::Status::ok, "{}", kernels::describe(status));
  }

  void allocate(plan::TileId id) {
    const plan::TileInfo& tile = graph_.tiles[id.index()];
    if (data_[id.index()] == nullptr) {
      data_[id.index()] = context_.store.allocate(size_in_bytes({tile.dtype, tile.box.extent}));
    }
  }

  TileView view_of(const plan::Argument& argument) const {
    const plan::TileInfo& tile = graph_.tiles[argument.tile.index()];
    TileView view =
        subview(dense_view(data_[argument.tile.index()], tile.dtype, tile.box), argument.box);
    view.origin = argument.origin;
    return view;
  }

  /// A tile as part of a result whose first modes are bare key dimensions.
  static TileView with_bare_modes(TileView view) {
    const auto bare = static_cast<std::ptrdiff_t>(view.origin.size() - view.shape.size());
    view.shape.insert(view.shape.begin(), static_cast<size_t>(bare), 1);
    view.strides.insert(view.strides.begin(), static_cast<size_t>(bare), 0);
    return view;
  }

  void free_after(plan::TaskId id) {
    const plan::TaskInfo& task = graph_.tasks[id.index()];
    for (const std::vector<plan::Argument>* arguments : {&task.inputs, &task.outputs}) {
      for (const plan::Argument& argument : *arguments) {
        std::byte*& data = data_[argument.tile.index()];
        if (data != nullptr && graph_.tiles[argument.tile.index()].last_use == id) {
          context_.store.release(data);
          data = nullptr;
        }
      }
    }
  }

  const plan::TaskGraph& graph_;
  const RunContext& context_;
  PreparedKernels kernels_;
  std::vector<std::byte*> data_;  // by tile; null while it has no bytes
  std::byte* workspace_;
};

class SerialExecutor : public Executor {
 public:
  RunReport run(const plan::TaskGraph& graph, const RunContext& context) override {
    return SerialRun(graph, context).run();
  }
};

}  // namespace

std::unique_ptr<Executor> make_serial_executor() {
  return std::make_unique<SerialExecutor>();
}

}  // namespace tessera::runtime
