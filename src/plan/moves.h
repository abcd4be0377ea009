#pragma once

#include "plan/task_graph.h"

namespace tessera::plan {

/// What all moves bring from one space to another, in bytes.
double moved_bytes(const TaskGraph& graph);

}  // namespace tessera::plan
