#pragma once

#include <vector>

#include "plan/incidence.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// When a tile that others need too is used by them.
enum class UseTime : uint8_t {
  late,     // when the task that is on the way to a sink comes to it
  early,    // what a task made: as soon as it is there, by every task that then has all it needs
  together  // what was read of a source: with the first, by every such task
};

/// The tasks that some sink needs, in an order in which they can run: depth first from the sinks,
/// so that a tile is made shortly before it is used. Tasks that add to several tiles, which are
/// then merged, come in the draft's order and not tile by tile: they can run side by side.
std::vector<TaskId> listed(const TaskGraph& draft, const Incidence<TaskId, TaskId>& dependencies,
                           UseTime use);

}  // namespace tessera::plan
