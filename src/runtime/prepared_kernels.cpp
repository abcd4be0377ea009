#include "runtime/prepared_kernels.h"

#include "base/error.h"

namespace tessera::runtime {

namespace {

/// What distinguishes prepared kernels: program, kernel, accumulation and the lengths of the
/// labels.
std::vector<int64_t> identity_of(const plan::TaskInfo& task, int64_t kernel_number) {
  std::vector<int64_t> identity = {task.program.value, kernel_number,
                                   task.shape.accumulate ? 1 : 0};
  for (const kernels::LabelRange& range : task.shape.ranges) {
    identity.push_back(range.length);
  }
  return identity;
}

}  // namespace

PreparedKernels::PreparedKernels(const plan::TaskGraph& graph, const kernels::Registry& registry) {
  for (const plan::TaskInfo& task : graph.tasks) {
    if (task.kind != plan::TaskKind::compute) {
      of_task_.push_back(nullptr);
      continue;
    }
    const kernels::Kernel* kernel = registry.find(task.kernel);
    TESSERA_USER_CHECK(kernel != nullptr, "the plan names a kernel that is not here: {}",
                       *task.kernel);
    const expr::TileProgram& program = graph.programs[task.program.index()].program;
    auto& prepared = prepared_[identity_of(task, kernel - registry.all().data())];
    if (prepared == nullptr) {
      const std::string refusal = kernel->refusal(program, task.shape);
      TESSERA_USER_CHECK(refusal.empty(), "the plan asks kernel {} for {}, but it cannot: {}",
                         *task.kernel, task.origin->statement, refusal);
      prepared = kernel->prepare(program, task.shape);
    }
    TESSERA_USER_CHECK(prepared->workspace_bytes() <= task.workspace_bytes,
                       "the plan gives {} a workspace of {} bytes, but kernel {} needs {} on this "
                       "machine; plan it here, or write workspace={}",
                       task.origin->statement, task.workspace_bytes, *task.kernel,
                       prepared->workspace_bytes(), prepared->workspace_bytes());
    of_task_.push_back(prepared.get());
  }
}

}  // namespace tessera::runtime
