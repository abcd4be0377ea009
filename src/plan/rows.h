#pragma once

#include <optional>
#include <string>

#include "plan/task_graph.h"

namespace tessera::plan {

// Tiles of rows have their place in a plan: its text, its order, its proof of memory and what is
// paged count them, and they are read, copied and moved whole. What nothing does with them yet is
// refused here.

/// What is missing for a task that has rows; nothing where it has none, or needs no more than is
/// there. REQUIRES that its tiles exist.
std::optional<std::string> missing_for_rows(const TaskGraph& graph, const TaskInfo& task);

/// Errors: `unsupported` for a kernel or a result that has rows: no type says what they mean.
/// REQUIRES that all tiles of its tasks exist.
void refuse_untyped_rows(const TaskGraph& graph);

/// Errors: `unsupported` for a plan that nothing can run because of its rows. REQUIRES as above.
void refuse_rows(const TaskGraph& graph);

}  // namespace tessera::plan
