#pragma once

#include <string>
#include <vector>

#include "plan/task_graph.h"

namespace tessera::plan {

/// Returns the errors in the arguments of a task that computes or gathers: their number, dtypes,
/// and that every element that is read or written lies inside them. REQUIRES a sound program and
/// existing tiles.
std::vector<std::string> verify_call(const TaskGraph& graph, const TaskInfo& task);

}  // namespace tessera::plan
