#include "plan/held_tensors.h"

namespace tessera::plan {

std::vector<Shared<std::string>> tensors_held(const TaskGraph& graph) {
  std::vector<Shared<std::string>> held;
  held.reserve(graph.tiles.size());
  for (const TileInfo& tile : graph.tiles) {
    held.push_back(tile.relation);
  }
  for (const TaskInfo& task : graph.tasks) {  // the inputs of a copy are made before it
    if (task.kind == TaskKind::copy_box || task.kind == TaskKind::move) {
      held[task.outputs[0].tile.index()] = held[task.inputs[0].tile.index()];
    }
  }
  return held;
}

}  // namespace tessera::plan
