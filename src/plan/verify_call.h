#pragma once

#include <string>
#include <vector>

#include "plan/task_graph.h"

namespace tessera::plan {

/// What is wrong with the arguments of a task that computes or gathers, whose program is sound and
/// whose tiles exist: their number, dtypes, and whether every element that is read or written lies
/// inside them.
std::vector<std::string> verify_call(const TaskGraph& graph, const TaskInfo& task);

}  // namespace tessera::plan
