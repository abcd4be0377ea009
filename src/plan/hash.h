#pragma once

#include <cstdint>

#include "plan/task_graph.h"

namespace tessera::plan {

/// Hashes a plan. Equal plans have equal hashes, in every process of one program. Everything that a
/// run depends on counts: tiles, tasks, programs, kernels, sources and sinks.
uint64_t hash_of(const TaskGraph& graph);

}  // namespace tessera::plan
