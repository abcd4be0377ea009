#pragma once

#include <optional>
#include <string>

#include "plan/task_graph.h"

namespace tessera::plan {

// Support for tiles of rows in plans: the text, the order, the proof of memory and paging count
// them, and they are read, copied and moved whole. Operations without support are refused here.

/// Names the support that a task with rows lacks; nothing if it has no rows or lacks nothing.
/// REQUIRES that its tiles exist.
std::optional<std::string> missing_for_rows(const TaskGraph& graph, const TaskInfo& task);

/// Refuses kernels and results with rows. Errors: `unsupported`, because no type tells what the
/// rows mean. REQUIRES that all tiles of its tasks exist.
void refuse_untyped_rows(const TaskGraph& graph);

/// Refuses a plan that cannot run because of its rows. Errors: `unsupported`. REQUIRES the same.
void refuse_rows(const TaskGraph& graph);

}  // namespace tessera::plan
