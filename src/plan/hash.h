#pragma once

#include <cstdint>

#include "plan/task_graph.h"

namespace tessera::plan {

/// Equal plans have equal hashes, in every process of one program. All is looked at that a run
/// depends on: tiles, tasks, programs, kernels, sources and sinks.
uint64_t hash_of(const TaskGraph& graph);

}  // namespace tessera::plan
