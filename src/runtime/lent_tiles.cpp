#include "runtime/lent_tiles.h"

namespace tessera::runtime {

namespace {

/// True if the view is a part of a row-major array with long enough runs.
bool is_in_long_runs(const TileView& view) {
  int64_t run = size_of(view.dtype);
  bool goes_on = true;
  int64_t least = 1;  // the stride of a mode without gaps behind it
  for (size_t mode = view.shape.size(); mode-- > 0;) {
    if (view.shape[mode] == 1) {
      continue;
    }
    if (view.strides[mode] < least) {
      return false;
    }
    goes_on = goes_on && view.strides[mode] == least;
    run *= goes_on ? view.shape[mode] : 1;
    least = view.strides[mode] * view.shape[mode];
  }
  return run >= LentTiles::kShortestRun;
}

}  // namespace

LentTiles::LentTiles(const plan::TaskGraph& graph, const RunContext& context,
                     const PreparedKernels& kernels)
    : graph_(graph),
      context_(context),
      reads_(graph.tiles.size(), nullptr),
      may_have_gaps_(graph.tiles.size(), false) {
  std::vector<int32_t> readers(graph.tiles.size(), 0);
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    const plan::TaskInfo& task = graph.tasks[number];
    const plan::TaskId id(static_cast<int64_t>(number));
    for (const plan::Argument& output : task.outputs) {
      reads_[output.tile.index()] = task.kind == plan::TaskKind::read_source ? &task : nullptr;
    }
    for (const plan::Argument& input : task.inputs) {
      may_have_gaps_[input.tile.index()] = ++readers[input.tile.index()] == 1 &&
                                           task.kind == plan::TaskKind::compute &&
                                           kernels.of(id).reads_once();
    }
  }
}

std::optional<TileView> LentTiles::lent(plan::TileId tile) const {
  const store::TileSource& source = *context_.sources.at(reads_[tile.index()]->name);
  std::optional<TileView> view = source.lend(graph_.dense(tile).box);
  const bool is_taken =
      view && (is_dense(*view) || (may_have_gaps_[tile.index()] && is_in_long_runs(*view)));
  return is_taken ? std::move(view) : std::nullopt;
}

TileView LentTiles::view(plan::TileId tile, std::byte* owned) const {
  if (owned == nullptr && may_be_lent(tile)) {
    return *lent(tile);
  }
  const DenseTile& array = graph_.dense(tile);
  return dense_view(owned, array.dtype, array.box);
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
