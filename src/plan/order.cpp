#include "plan/order.h"

#include <algorithm>

namespace tessera::plan {

namespace {

/// For every task the earlier tasks it waits for: first those that wrote to its outputs, then those
/// that wrote its inputs.
std::vector<std::vector<size_t>> dependencies_of(const TaskGraph& graph) {
  std::vector<std::vector<size_t>> writers(graph.tiles.size());
  std::vector<std::vector<size_t>> dependencies(graph.tasks.size());
  for (size_t task = 0; task < graph.tasks.size(); ++task) {
    for (const Argument& output : graph.tasks[task].outputs) {
      std::vector<size_t>& earlier = writers[output.tile.index()];
      if (!earlier.empty()) {
        dependencies[task].push_back(earlier.back());
      }
    }
    for (const Argument& input : graph.tasks[task].inputs) {
      const std::vector<size_t>& earlier = writers[input.tile.index()];
      if (!earlier.empty() && earlier.back() != task) {
        dependencies[task].push_back(earlier.back());
      }
    }
    for (const Argument& output : graph.tasks[task].outputs) {
      writers[output.tile.index()].push_back(task);
    }
  }
  return dependencies;
}

/// Depth-first post-order from the sinks, without recursion: a chain may be a million tasks long.
std::vector<size_t> needed_order(const TaskGraph& graph) {
  const std::vector<std::vector<size_t>> dependencies = dependencies_of(graph);
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
      if (entered == dependencies[task].size()) {
        order.push_back(task);
        open.pop_back();
        continue;
      }
      const size_t next = dependencies[task][entered++];
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
      kept.push_back(graph.tiles[argument.tile.index()]);
    }
    argument.tile = id;
  };
  for (TaskInfo& task : graph.tasks) {
    std::for_each(task.inputs.begin(), task.inputs.end(), renumber);
    std::for_each(task.outputs.begin(), task.outputs.end(), renumber);
  }
  graph.tiles = std::move(kept);
}

int64_t bytes_of(const TileInfo& tile) {
  return size_in_bytes({tile.dtype, tile.box.extent});
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

int64_t serial_peak(const TaskGraph& graph) {
  std::vector<bool> live(graph.tiles.size(), false);
  int64_t now = 0;
  int64_t peak = 0;
  for (size_t task = 0; task < graph.tasks.size(); ++task) {
    const TaskInfo& info = graph.tasks[task];
    for (const Argument& output : info.outputs) {
      if (!live[output.tile.index()]) {
        live[output.tile.index()] = true;
        now += bytes_of(graph.tiles[output.tile.index()]);
      }
    }
    peak = std::max(peak, now);
    for (const std::vector<Argument>* arguments : {&info.inputs, &info.outputs}) {
      for (const Argument& argument : *arguments) {
        const size_t tile = argument.tile.index();
        if (live[tile] && graph.tiles[tile].last_use.index() == task) {
          live[tile] = false;
          now -= bytes_of(graph.tiles[tile]);
        }
      }
    }
  }
  return peak;
}

}  // namespace

TaskGraph ordered(const TaskGraph& draft) {
  TaskGraph graph = draft;
  graph.tasks.clear();
  for (const size_t task : needed_order(draft)) {
    graph.tasks.push_back(draft.tasks[task]);
  }
  drop_unwritten_tiles(graph);
  find_last_uses(graph);
  graph.peak_bytes = serial_peak(graph);
  return graph;
}

}  // namespace tessera::plan
