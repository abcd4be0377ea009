#pragma once

#include <cstdint>
#include <vector>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// The tasks that are free of charge. Their plan takes up to 50 MiB itself while it is searched
/// for, made and run, which a process has beside its budget. Further tasks count in the budget.
inline constexpr int64_t kFreeTasks = 32'768;

/// The most tasks that are made and held at once, unless one statement has more: they take up to
/// 420 MiB. A plan with more has frames (frames.h).
inline constexpr int64_t kMostTasksAtOnce = int64_t{1} << 18;

/// Returns the number of tasks that the plan of a graph will have, without making it. It is exact,
/// except that unneeded tuples of relations that are read in part (through a diagonal or a filter)
/// are counted.
int64_t expected_tasks(const tra::Graph& graph);

/// Returns the number for a placed graph. Moves are counted as if nothing lay at its target
/// already.
int64_t expected_tasks(const ia::Graph& graph);

/// Returns, by node, the tasks that make its tuples, and those that write it if it is a result.
std::vector<int64_t> expected_tasks_of_nodes(const ia::Graph& graph);

/// Returns the bytes that a plan of `num_tasks` tasks takes of a budget: none up to kFreeTasks.
int64_t counted_plan_bytes(int64_t num_tasks);
int64_t counted_plan_bytes(const TaskGraph& graph);

}  // namespace tessera::plan
