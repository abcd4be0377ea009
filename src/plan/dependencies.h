#pragma once

#include "plan/incidence.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Returns, for every task, the earlier tasks that it waits for, each once: the last that wrote to
/// its outputs, then the last that wrote each of its inputs, then those that read an output since
/// it was last written (they must see the old value). Tasks that write to one tile are thus a chain
/// in the plan's order, and so are sums: nothing depends on when a task ends.
Incidence<TaskId, TaskId> dependencies_of(const TaskGraph& graph);

/// Returns the tiles that every task touches, each once: outputs, then inputs.
Incidence<TaskId, TileId> tiles_of(const TaskGraph& graph);

}  // namespace tessera::plan
