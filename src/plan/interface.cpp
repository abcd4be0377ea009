#include "plan/interface.h"

#include <algorithm>

#include "plan/rows.h"

namespace tessera::plan {

std::map<std::string, ArrayType> sources_of(const TaskGraph& graph) {
  refuse_rows(graph);
  std::map<std::string, ArrayType> sources;
  for (const TaskInfo& task : graph.tasks) {
    if (task.kind != TaskKind::read_source) {
      continue;
    }
    const DenseTile& tile = graph.dense(task.outputs[0].tile);
    ArrayType& type =
        sources.try_emplace(*task.name, ArrayType{tile.dtype, Shape(tile.box.extent.size(), 0)})
            .first->second;
    for (size_t mode = 0; mode < type.shape.size(); ++mode) {
      type.shape[mode] = std::max(type.shape[mode], tile.box.origin[mode] + tile.box.extent[mode]);
    }
  }
  return sources;
}

}  // namespace tessera::plan
