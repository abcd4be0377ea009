#pragma once

#include <map>
#include <memory>
#include <vector>

#include "kernels/context.h"
#include "kernels/kernel.h"
#include "plan/task_graph.h"

namespace tessera::runtime {

/// The kernels of a plan, prepared before it runs: one for each program, kernel and size of call.
/// Errors: `user` for a kernel that is missing, cannot run a task or needs a larger workspace than
/// the plan states (in a plan made on another machine). Threads: built once, then read by any
/// number.
class PreparedKernels {
 public:
  PreparedKernels(const plan::TaskGraph& graph, const kernels::Context& context);

  /// Returns the kernel of a compute task.
  const kernels::PreparedKernel& of(plan::TaskId task) const { return *of_task_[task.index()]; }

 private:
  struct Prepared {
    std::shared_ptr<const kernels::PreparedKernel> kernel;
    int64_t workspace_bytes = 0;
  };
  std::map<std::vector<int64_t>, Prepared> prepared_;
  std::vector<const kernels::PreparedKernel*> of_task_;  // null for tasks that compute nothing
};

}  // namespace tessera::runtime
