#include "engine/planning/given_tasks.h"

#include <algorithm>
#include <map>
#include <vector>

#include "kernels/registry.h"
#include "plan/memory.h"

namespace tessera::engine {

namespace {

/// Shares a plan of one process out, whose sites each have a space of their own, to several.
void share_out(plan::TaskGraph& tasks, const Setup& setup) {
  const bool is_of_one =
      std::all_of(tasks.spaces.begin(), tasks.spaces.end(),
                  [](const plan::SpaceInfo& space) { return space.process == 0; });
  for (size_t site = 0; setup.link() != nullptr && is_of_one && site < tasks.sites.size(); ++site) {
    tasks.spaces[tasks.sites[site].space.index()].process = static_cast<int32_t>(site);
  }
}

/// Returns the workspace that a kernel needs for a task here; 0 if it is missing, or refuses the
/// task.
int64_t workspace_here(const plan::TaskGraph& tasks, const plan::TaskInfo& task,
                       const kernels::Context& context) {
  const kernels::Kernel* const kernel = context.kernels.find(task.kernel);
  if (kernel == nullptr) {
    return 0;
  }
  const auto plan = kernel->read(tasks.programs[task.program.index()].program, task.shape, context);
  return plan ? plan->workspace_bytes : 0;
}

std::vector<int64_t> call_of(const plan::TaskInfo& task) {
  std::vector<int64_t> call = {task.program.value, task.shape.accumulate ? 1 : 0};
  for (const kernels::LabelRange& range : task.shape.ranges) {
    call.push_back(range.length);
  }
  return call;
}

/// Raises workspaces. Returns true if any task has more than before.
bool raise_workspaces(plan::TaskGraph& tasks, const Setup& setup) {
  const kernels::Context context = kernels::context_for(setup.context(), tasks.is_reproducible);
  std::map<std::pair<std::string, std::vector<int64_t>>, int64_t> needed;
  bool is_raised = false;
  for (plan::TaskInfo& task : tasks.tasks) {
    if (task.kind != plan::TaskKind::compute) {
      continue;
    }
    const auto [known, is_new] = needed.try_emplace({*task.kernel, call_of(task)}, 0);
    if (is_new) {
      known->second = workspace_here(tasks, task, context);
    }
    is_raised = is_raised || known->second > task.workspace_bytes;
    task.workspace_bytes = std::max(task.workspace_bytes, known->second);
  }
  return is_raised;
}

}  // namespace

plan::TaskGraph fitted(plan::TaskGraph tasks, const Setup& setup) {
  share_out(tasks, setup);
  if (raise_workspaces(tasks, setup)) {
    const std::vector<plan::MemoryProof> proofs = plan::memory_proofs(tasks);
    for (size_t space = 0; space < proofs.size(); ++space) {
      tasks.spaces[space].proof = proofs[space];
    }
  }
  return tasks;
}

}  // namespace tessera::engine
