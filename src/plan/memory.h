#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/budget.h"
#include "plan/incidence.h"
#include "plan/task_graph.h"

namespace tessera::plan {

using tessera::charged_bytes;

/// What a tile is charged while it is in memory.
int64_t charged_bytes(const TileInfo& tile);

/// What a task's workspace is charged while it runs; nothing where it has none.
int64_t charged_workspace(const TaskInfo& task);

/// An amount of memory and the task that asks for it; no task where the plan has none.
struct MemoryNeed {
  int64_t bytes = 0;
  TaskId task;
};

/// The task whose tiles and workspace, which have to be in memory at once, are the most. Every
/// other tile can be paged, so its bytes are the smallest budget that the plan runs under.
MemoryNeed smallest_budget(const TaskGraph& graph);

/// The most bytes in use when the plan runs one task at a time and nothing is paged.
MemoryNeed serial_peak(const TaskGraph& graph);

/// The same for some of its tasks in another order; `tiles` are tiles_of(graph) (dependencies.h).
MemoryNeed serial_peak(const TaskGraph& graph, const Incidence<TaskId, TileId>& tiles,
                       std::span<const TaskId> order);

/// What else would work where a plan does not fit its budget.
inline constexpr const char* kSmallerPieces = "or smaller pieces of its tensors";

/// Refuses a plan that does not fit a budget, its own bytes included (plan_size.h). Errors:
/// `resource`; it names the smallest budget of the plan, the statement to blame and the advice,
/// and suggests the budget that would work.
void check_budget(const TaskGraph& graph, int64_t budget,
                  const std::string& advice = kSmallerPieces);

}  // namespace tessera::plan
