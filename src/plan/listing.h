#pragma once

#include <vector>

#include "plan/incidence.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// The time at which tasks use a tile that others need too.
enum class UseTime : uint8_t {
  late,     // when the depth-first order comes to the task
  early,    // computed tiles: at once, by every task that is then ready
  together  // tiles read from a source: together, by every such task
};

/// Lists the tasks that some sink needs, in an executable order: depth first from the sinks, so
/// that a tile is made shortly before it is used. Tasks that add to several tiles, which are then
/// merged, come in the draft's order and not tile by tile: they can run side by side.
std::vector<TaskId> listed(const TaskGraph& draft, const Incidence<TaskId, TaskId>& dependencies,
                           UseTime use);

}  // namespace tessera::plan
