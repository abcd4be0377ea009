#include "runtime/lent_tiles.h"

namespace tessera::runtime {

LentTiles::LentTiles(const plan::TaskGraph& graph, const RunContext& context)
    : graph_(graph), context_(context), reads_(graph.tiles.size(), nullptr) {
  for (const plan::TaskInfo& task : graph.tasks) {
    for (const plan::Argument& output : task.outputs) {
      reads_[output.tile.index()] = task.kind == plan::TaskKind::read_source ? &task : nullptr;
    }
  }
}

std::byte* LentTiles::lent(plan::TileId tile) const {
  const store::TileSource& source = *context_.sources.at(reads_[tile.index()]->name);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): no task writes to it
  return const_cast<std::byte*>(source.lend(graph_.dense(tile).box));
}

std::vector<bool> tasks_in_memory(const plan::TaskGraph& graph, const RunContext& context) {
  std::vector<bool> in_memory;
  for (const plan::TaskInfo& task : graph.tasks) {
    in_memory.push_back(
        (task.kind == plan::TaskKind::read_source && context.sources.at(task.name)->is_memory()) ||
        (task.kind == plan::TaskKind::write_sink && context.sinks.at(task.name)->is_memory()));
  }
  return in_memory;
}

}  // namespace tessera::runtime
