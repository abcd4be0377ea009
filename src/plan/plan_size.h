#pragma once

#include <cstdint>
#include <vector>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// A plan of so many tasks takes up to 50 MiB itself while it is searched for, made and run, which
/// a process has beside its budget. What more tasks take counts in the budget.
inline constexpr int64_t kFreeTasks = 32'768;

/// Tasks that are made and held at once, unless one statement has more: they take up to 420 MiB.
/// Plans of more have frames (frames.h).
inline constexpr int64_t kMostTasksAtOnce = int64_t{1} << 18;

/// How many tasks the plan of a graph will have, without making it. Exact but for what no result
/// needs of a relation that others read in part (a diagonal, a filter), which is counted.
int64_t expected_tasks(const tra::Graph& graph);

/// The same of a placed graph. Moves are counted as if nothing lay where it is sent already.
int64_t expected_tasks(const ia::Graph& graph);

/// By node, what makes its tuples, and what writes it where it is a result.
std::vector<int64_t> expected_tasks_of_nodes(const ia::Graph& graph);

/// The bytes of a budget that a plan of so many tasks takes itself: none up to kFreeTasks.
int64_t counted_plan_bytes(int64_t num_tasks);
int64_t counted_plan_bytes(const TaskGraph& graph);

}  // namespace tessera::plan
