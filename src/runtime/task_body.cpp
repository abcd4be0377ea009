#include "runtime/task_body.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/reference/find_fault.h"
#include "plan/held_tensors.h"
#include "plan/rows.h"
#include "runtime/source_gather.h"

namespace tessera::runtime {

namespace {

TileView view_of(const plan::Argument& argument, const TileBytes& tiles) {
  TileView whole = tiles.view(argument.tile);
  if (argument.part == nullptr) {
    return whole;
  }
  TileView view = subview(whole, argument.part->box);
  view.origin = argument.part->origin;
  return view;
}

/// Views a tile as part of a result whose first modes are bare key dimensions.
TileView with_bare_modes(TileView view) {
  const size_t bare = view.origin.size() - view.shape.size();
  view.shape.prepend(bare, 1);
  view.strides.prepend(bare, 0);
  return view;
}

/// Returns the name of an operand of a task's program.
std::string operand_name(const plan::TaskGraph& graph, const plan::TaskInfo& task, size_t operand) {
  if (operand < task.inputs.size()) {
    return *plan::tensors_held(graph)[task.inputs[operand].tile.index()];
  }
  return task.kind == plan::TaskKind::gather_source ? *task.name : "what it reads";
}

/// Throws the error of a read that lay out of range.
[[noreturn]] void refuse_read(const plan::TaskGraph& graph, const plan::TaskInfo& task,
                              const kernels::DataFault& read) {
  const expr::TileProgram& program = graph.programs[task.program.index()].program;
  throw Error(
      ErrorKind::user,
      describe(read, program, operand_name(graph, task, static_cast<size_t>(read.operand))));
}

void compute(const plan::TaskGraph& graph, const plan::TaskInfo& task,
             std::span<const TileView> inputs, std::span<const TileView> outputs,
             const kernels::PreparedKernel& kernel, std::byte* workspace) {
  std::vector<int64_t> labels(task.shape.ranges.size());
  kernels::DataFault read{labels};
  const kernels::Status status =
      kernel.run({inputs, outputs, task.shape.ranges, task.shape.accumulate, workspace, &read});
  if (status == kernels::Status::out_of_range && read.body != nullptr) {
    refuse_read(graph, task, read);
  }
  if (status != kernels::Status::ok && read.names_array) {
    throw Error(ErrorKind::user,
                describe(status, read, graph.programs[task.program.index()].program));
  }
  if (status != kernels::Status::ok) {
    const kernels::KernelCall call{inputs, outputs, task.shape.ranges, false, nullptr};
    const auto name_of = [&](size_t operand) { return operand_name(graph, task, operand); };
    const std::optional<std::string> found =
        kernels::find_fault(graph.programs[task.program.index()].program, call, name_of);
    throw Error(ErrorKind::user, found ? *found : kernels::describe(status));
  }
}

/// Gathers from a source. Throws if an entry of a table names nothing there.
void gather(const plan::TaskGraph& graph, const plan::TaskInfo& task,
            const store::TileSource& source, std::span<const TileView> tables,
            const TileView& gathered) {
  const SourceGather gather{graph.programs[task.program.index()].program, task.shape.ranges};
  std::vector<int64_t> labels(task.shape.ranges.size());
  kernels::DataFault read{labels};
  if (!gather.run(source, tables, gathered, read)) {
    refuse_read(graph, task, read);
  }
}

}  // namespace

void check_not_cancelled(const RunContext& context) {
  if (context.cancelled != nullptr && context.cancelled->load(std::memory_order_relaxed)) {
    throw_error(ErrorKind::interrupted, "the run was stopped; no result was written");
  }
}

void check_runnable(const plan::TaskGraph& graph, const RunContext& context) {
  plan::refuse_rows(graph);
  for (size_t space = 0; space < graph.spaces.size(); ++space) {
    switch (graph.spaces[space].kind) {
      case MemoryKind::host:
        break;
      case MemoryKind::device:
        throw_error(ErrorKind::unsupported,
                    "the plan keeps tiles in space m{}, the memory of a device; kernels that "
                    "compute there are not built yet",
                    space);
    }
    if (space >= context.stores.size() || context.stores[space] == nullptr) {
      throw_error(
          ErrorKind::unsupported,
          "the plan keeps tiles in space m{}, memory of process {}, which this process "
          "cannot reach: it is a plan of several processes, each of which runs its own part",
          space, graph.spaces[space].process);
    }
  }
}

int64_t peak_bytes(const RunContext& context) {
  int64_t sum = 0;
  for (const store::TileStore* store : context.stores) {
    sum += store == nullptr ? 0 : store->usage().peak;
  }
  return sum;
}

int64_t run_task(const plan::TaskGraph& graph, plan::TaskId id, const RunContext& context,
                 const PreparedKernels& kernels, const TileBytes& tiles, std::byte* workspace) {
  const plan::TaskInfo& task = graph.tasks[id.index()];
  std::vector<TileView> inputs;
  std::vector<TileView> outputs;
  for (const plan::Argument& argument : task.inputs) {
    inputs.push_back(view_of(argument, tiles));
  }
  for (const plan::Argument& argument : task.outputs) {
    outputs.push_back(view_of(argument, tiles));
  }
  switch (task.kind) {
    case plan::TaskKind::read_source:
      context.sources.at(task.name)->read(outputs[0]);
      return 0;
    case plan::TaskKind::gather_source:
      gather(graph, task, *context.sources.at(task.name), inputs, outputs[0]);
      return 0;
    case plan::TaskKind::compute:
      compute(graph, task, inputs, outputs, kernels.of(id), workspace);
      return 0;
    case plan::TaskKind::copy_box:
      copy_elements(inputs[0], outputs[0]);
      return 0;
    case plan::TaskKind::move:  // both spaces belong to this process
      copy_elements(inputs[0], outputs[0]);
      return num_elements(outputs[0].shape) * size_of(outputs[0].dtype);
    case plan::TaskKind::write_sink:
      context.sinks.at(task.name)->write(with_bare_modes(std::move(inputs[0])));
      return 0;
    case plan::TaskKind::send:
    case plan::TaskKind::receive:
      break;  // a link does it
  }
  throw_error(ErrorKind::internal, "no such task: {}", static_cast<int>(task.kind));
}

}  // namespace tessera::runtime
