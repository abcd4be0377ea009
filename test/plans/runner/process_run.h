#pragma once

#include "plans/runner/case_run.h"

namespace tessera::plans {

/// Runs tasks of several sites as so many processes do, each its own (plan::tasks_of_site), in the
/// smallest budget that the plan says for its space. Threads stand for the processes; what they
/// send takes times drawn by `seed`. Checks that they move the bytes that the plan says. Errors:
/// those of the first that fails.
Results run_in_processes(const plan::TaskGraph& tasks, const Case& each, const RunOptions& options,
                         uint64_t seed);

}  // namespace tessera::plans
