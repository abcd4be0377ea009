#pragma once

#include <vector>

#include "plan/task_graph.h"

namespace tessera::plan {

/// What one site does of a plan, as a plan of one site: its tasks in the plan's order, its tiles,
/// and of every move that it has part in its half, a `send` or a `receive`. Sources and sinks are
/// those that it reads and writes, some of each perhaps.
///
/// The halves of the moves from one site to another are in one order on both, that of the plan, so
/// that they find each other without a word.
struct SiteTasks {
  TaskGraph graph;
  std::vector<TaskId> of_plan;       // by task of `graph`: which of the plan it is, or is half of
  std::vector<TileId> tile_of_plan;  // by tile of `graph`
};

/// Whether a task is a send or a receive.
bool is_half_of_move(const TaskInfo& task);

/// REQUIRES a site whose space is its own.
SiteTasks tasks_of_site(const TaskGraph& plan, SiteId site);

}  // namespace tessera::plan
