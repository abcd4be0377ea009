#include "plan/order.h"

#include <algorithm>
#include <utility>

#include "plan/dependencies.h"
#include "plan/memory.h"

namespace tessera::plan {

namespace {

/// Depth-first post-order from the sinks, without recursion: a chain may be a million tasks long.
std::vector<size_t> needed_order(const TaskGraph& graph) {
  const Incidence<TaskId, TaskId> dependencies = dependencies_of(graph);
  std::vector<size_t> order;
  std::vector<bool> seen(graph.tasks.size(), false);
  std::vector<std::pair<size_t, size_t>>
      open;  // a task and how many of its dependencies were entered
  for (size_t root = 0; root < graph.tasks.size(); ++root) {
    if (graph.tasks[root].kind != TaskKind::write_sink) {
      continue;
    }
    seen[root] = true;
    open.emplace_back(root, 0);
    while (!open.empty()) {
      auto& [task, entered] = open.back();
      const std::span<const TaskId> earlier = dependencies.of(TaskId(static_cast<int64_t>(task)));
      if (entered == earlier.size()) {
        order.push_back(task);
        open.pop_back();
        continue;
      }
      const size_t next = earlier[entered++].index();
      if (!seen[next]) {
        seen[next] = true;
        open.emplace_back(next, 0);
      }
    }
  }
  return order;
}

/// Keeps the tiles that a task still writes, under new numbers.
void drop_unwritten_tiles(TaskGraph& graph) {
  std::vector<TileId> number(graph.tiles.size());
  std::vector<TileInfo> kept;
  const auto renumber = [&](Argument& argument) {
    TileId& id = number[argument.tile.index()];
    if (!id.valid()) {
      id = TileId(static_cast<int64_t>(kept.size()));
      kept.push_back(std::move(graph.tiles[argument.tile.index()]));
    }
    argument.tile = id;
  };
  for (TaskInfo& task : graph.tasks) {
    std::for_each(task.inputs.begin(), task.inputs.end(), renumber);
    std::for_each(task.outputs.begin(), task.outputs.end(), renumber);
  }
  graph.tiles = std::move(kept);
}

void find_last_uses(TaskGraph& graph) {
  for (size_t task = 0; task < graph.tasks.size(); ++task) {
    const TaskId id(static_cast<int64_t>(task));
    for (const Argument& input : graph.tasks[task].inputs) {
      graph.tiles[input.tile.index()].last_use = id;
    }
    for (const Argument& output : graph.tasks[task].outputs) {
      graph.tiles[output.tile.index()].last_use = id;
    }
  }
}

}  // namespace

TaskGraph ordered(TaskGraph draft) {
  const std::vector<size_t> order = needed_order(draft);
  TaskGraph graph = std::move(draft);
  std::vector<TaskInfo> drafted = std::exchange(graph.tasks, {});
  graph.tasks.reserve(order.size());
  for (const size_t task : order) {
    graph.tasks.push_back(std::move(drafted[task]));
  }
  drop_unwritten_tiles(graph);
  find_last_uses(graph);
  graph.peak_bytes = serial_peak(graph).bytes;
  graph.smallest_budget = smallest_budget(graph).bytes;
  return graph;
}

}  // namespace tessera::plan
