#include "plan/order.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "plan/dependencies.h"
#include "plan/listing.h"
#include "plan/memory.h"

namespace tessera::plan {

namespace {

/// Keeps the tasks of an order, in that order. Works in place, because a second list of tasks would
/// be most of the memory of planning.
void put_into(const std::vector<TaskId>& order, std::vector<TaskInfo>& tasks) {
  std::vector<TaskId> here;  // by place: the task that is there so far
  for (size_t place = 0; place < tasks.size(); ++place) {
    here.emplace_back(static_cast<int64_t>(place));
  }
  std::vector<size_t> place_of(tasks.size());
  std::iota(place_of.begin(), place_of.end(), size_t{0});
  for (size_t place = 0; place < order.size(); ++place) {
    const size_t from = place_of[order[place].index()];
    std::swap(tasks[place], tasks[from]);
    std::swap(here[place], here[from]);
    place_of[here[place].index()] = place;
    place_of[here[from].index()] = from;
  }
  tasks.resize(order.size());
}

/// Keeps the tiles that a task still writes, under new numbers.
void drop_unwritten_tiles(TaskGraph& graph) {
  std::vector<TileId> number(graph.tiles.size());
  std::vector<TileInfo> kept;
  kept.reserve(graph.tiles.size());
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

struct Order {
  std::vector<TaskId> tasks;
  Bytes peak;  // of the space with the largest one
};

/// True if fewer bytes are expected, or equally many and fewer at most.
bool is_lower(const Bytes& a, const Bytes& b) {
  return std::pair(a.expected, a.at_most) < std::pair(b.expected, b.at_most);
}

/// Returns the order with the lowest peak; among equals the one that uses tiles late.
Order best_order(const TaskGraph& graph) {
  const Incidence<TaskId, TaskId> dependencies = dependencies_of(graph);
  const Incidence<TaskId, TileId> tiles = tiles_of(graph);
  const auto order = [&](UseTime use) {
    std::vector<TaskId> tasks = listed(graph, dependencies, use);
    Bytes largest;
    for (const MemoryPeak& peak : serial_peaks(graph, tiles, tasks)) {
      largest.expected = std::max(largest.expected, peak.bytes.expected);
      largest.at_most = std::max(largest.at_most, peak.bytes.at_most);
    }
    return Order{std::move(tasks), largest};
  };
  Order best = order(UseTime::late);
  for (const UseTime use : {UseTime::together, UseTime::early}) {
    Order other = order(use);
    if (is_lower(other.peak, best.peak)) {
      best = std::move(other);
    }
  }
  return best;
}

}  // namespace

TaskGraph ordered(TaskGraph draft) {
  TaskGraph graph = std::move(draft);
  put_into(best_order(graph).tasks, graph.tasks);
  drop_unwritten_tiles(graph);
  find_last_uses(graph);
  const std::vector<MemoryProof> proofs = memory_proofs(graph);
  for (size_t space = 0; space < proofs.size(); ++space) {
    graph.spaces[space].proof = proofs[space];
  }
  return graph;
}

}  // namespace tessera::plan
