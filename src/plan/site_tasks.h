#pragma once

#include <vector>

#include "plan/task_graph.h"

namespace tessera::plan {

/// One site's part of a plan, as a plan of one site: its tasks in the plan's order, its tiles, and
/// its half of every move, a `send` or a `receive`. Sources and sinks are those that it reads and
/// writes, perhaps in part.
///
/// The halves of the moves from one site to another have the same order on both, the plan's, so
/// that they match without messages.
struct SiteTasks {
  TaskGraph graph;
  // by task of `graph`: its task in the plan, or the move it is half of
  std::vector<TaskId> of_plan;
  std::vector<TileId> tile_of_plan;  // by tile of `graph`
};

/// True if a task is a send or a receive.
bool is_half_of_move(const TaskInfo& task);

/// Returns the tasks of a site. REQUIRES a site whose space is its own.
SiteTasks tasks_of_site(const TaskGraph& plan, SiteId site);

}  // namespace tessera::plan
