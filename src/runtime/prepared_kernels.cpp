#include "runtime/prepared_kernels.h"

#include "base/error.h"
#include "kernels/registry.h"

namespace tessera::runtime {

namespace {

/// Returns the key of a prepared kernel: program, kernel, accumulation and the lengths of the
/// labels.
std::vector<int64_t> identity_of(const plan::TaskInfo& task, int64_t kernel_number) {
  std::vector<int64_t> identity = {task.program.value, kernel_number,
                                   task.shape.accumulate ? 1 : 0};
  for (const kernels::LabelRange& range : task.shape.ranges) {
    identity.push_back(range.length);
  }
  return identity;
}

kernels::KernelPlan plan_of(const kernels::Kernel& kernel, const expr::TileProgram& program,
                            const plan::TaskInfo& task, const kernels::Context& context) {
  const OrRefusal<kernels::KernelPlan> plan = kernel.read(program, task.shape, context);
  TESSERA_USER_CHECK(plan, "the plan asks kernel {} for {}, but it cannot: {}", kernel.name,
                     task.origin->statement, plan.reason());
  return *plan;
}

/// Checks a workspace. A plan's text gives every task a workspace of its own.
void check_workspace(const plan::TaskInfo& task, const kernels::Kernel& kernel, int64_t needed) {
  TESSERA_USER_CHECK(needed <= task.workspace_bytes,
                     "the plan gives {} a workspace of {} bytes, but kernel {} needs {} on this "
                     "machine; plan it here, or write workspace={}",
                     task.origin->statement, task.workspace_bytes, kernel.name, needed, needed);
}

}  // namespace

PreparedKernels::PreparedKernels(const plan::TaskGraph& graph, const kernels::Context& given) {
  const kernels::Context context = kernels::context_for(given, graph.is_reproducible);
  for (const plan::TaskInfo& task : graph.tasks) {
    if (task.kind != plan::TaskKind::compute) {
      of_task_.push_back(nullptr);
      continue;
    }
    const kernels::Kernel* kernel = context.kernels.find(task.kernel);
    TESSERA_USER_CHECK(kernel != nullptr, "the plan names a kernel that is not here: {}",
                       *task.kernel);
    Prepared& prepared = prepared_[identity_of(task, kernel - context.kernels.all().data())];
    if (prepared.kernel == nullptr) {
      const kernels::KernelPlan plan =
          plan_of(*kernel, graph.programs[task.program.index()].program, task, context);
      prepared = {plan.prepare(), plan.workspace_bytes};
    }
    check_workspace(task, *kernel, prepared.workspace_bytes);
    of_task_.push_back(prepared.kernel.get());
  }
}

}  // namespace tessera::runtime
