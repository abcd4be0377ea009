#include "plan/memory.h"

#include <algorithm>

#include "base/byte_size.h"
#include "base/error.h"
#include "plan/dependencies.h"
#include "plan/plan_size.h"

namespace tessera::plan {

namespace {

int64_t sum_of(int64_t a, int64_t b) {
  return std::min(a + b, kMostBytes);
}

/// "1.06 KiB (1088 bytes)".
std::string exact_text(int64_t bytes) {
  const std::string text = byte_size_text(bytes);
  return bytes < 1024 ? text : fmt::format("{} ({} bytes)", text, bytes);
}

}  // namespace

int64_t charged_bytes(const TileInfo& tile) {
  return charged_bytes(size_in_bytes({tile.dtype, tile.box.extent}));
}

int64_t charged_workspace(const TaskInfo& task) {
  return task.workspace_bytes == 0 ? 0 : charged_bytes(task.workspace_bytes);
}

MemoryNeed smallest_budget(const TaskGraph& graph) {
  const Incidence<TaskId, TileId> tiles = tiles_of(graph);
  MemoryNeed largest;
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    const TaskId id(static_cast<int64_t>(number));
    int64_t bytes = charged_workspace(graph.tasks[number]);
    for (const TileId tile : tiles.of(id)) {
      bytes = sum_of(bytes, charged_bytes(graph.tiles[tile.index()]));
    }
    if (bytes > largest.bytes) {
      largest = {bytes, id};
    }
  }
  return largest;
}

MemoryNeed serial_peak(const TaskGraph& graph) {
  std::vector<TaskId> order;
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    order.emplace_back(static_cast<int64_t>(number));
  }
  return serial_peak(graph, tiles_of(graph), order);
}

MemoryNeed serial_peak(const TaskGraph& graph, const Incidence<TaskId, TileId>& tiles,
                       std::span<const TaskId> order) {
  std::vector<TaskId> last_use(graph.tiles.size());
  for (const TaskId task : order) {
    for (const TileId tile : tiles.of(task)) {
      last_use[tile.index()] = task;
    }
  }
  std::vector<bool> is_live(graph.tiles.size(), false);
  int64_t now = 0;
  MemoryNeed peak;
  for (const TaskId task : order) {
    for (const TileId tile : tiles.of(task)) {
      if (!is_live[tile.index()]) {
        is_live[tile.index()] = true;
        now = sum_of(now, charged_bytes(graph.tiles[tile.index()]));
      }
    }
    const int64_t with_workspace = sum_of(now, charged_workspace(graph.tasks[task.index()]));
    if (with_workspace > peak.bytes) {
      peak = {with_workspace, task};
    }
    for (const TileId tile : tiles.of(task)) {
      if (last_use[tile.index()] == task) {
        is_live[tile.index()] = false;
        now -= charged_bytes(graph.tiles[tile.index()]);
      }
    }
  }
  return peak;
}

void check_budget(const TaskGraph& graph, int64_t budget, const std::string& advice) {
  const MemoryNeed need = smallest_budget(graph);
  const int64_t plan_bytes = counted_plan_bytes(graph);
  const int64_t least = sum_of(need.bytes, plan_bytes);
  if (least <= budget) {
    return;
  }
  const std::string and_plan = plan_bytes == 0
                                   ? ""
                                   : fmt::format(" and {} for the plan itself, which has {} tasks",
                                                 byte_size_text(plan_bytes), graph.tasks.size());
  throw Error(ErrorKind::resource,
              fmt::format("this plan does not fit a memory budget of {}: the smallest that it runs "
                          "under is {}, for a task of {}{}; that would work, {}",
                          exact_text(budget), exact_text(least),
                          to_string(graph.tasks[need.task.index()].origin), and_plan, advice))
      .suggest({Setting::memory, fmt::format("{}", least)});
}

}  // namespace tessera::plan
