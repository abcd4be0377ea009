#include "runtime/threads/paged_tiles.h"

#include <utility>

#include <fmt/format.h>

namespace tessera::runtime {

PagedTiles::PagedTiles(const plan::TaskGraph& graph, const RunContext& context,
                       std::string spill_directory)
    : graph_(graph),
      context_(context),
      spill_directory_(std::move(spill_directory)),
      data_(graph.tiles.size(), nullptr),
      slots_(graph.tiles.size()),
      reads_(graph.tiles.size(), nullptr) {
  for (const plan::TaskInfo& task : graph.tasks) {
    if (task.kind == plan::TaskKind::read_source) {
      reads_[task.outputs[0].tile.index()] = &task;
    }
  }
}

PagedTiles::~PagedTiles() {
  for (std::byte* const tile : data_) {
    if (tile != nullptr) {
      context_.store.release(tile);
    }
  }
}

void PagedTiles::allocate(plan::TileId tile) {
  data_[tile.index()] = context_.store.allocate(bytes_of(tile));
}

void PagedTiles::release_memory(plan::TileId tile) {
  context_.store.release(std::exchange(data_[tile.index()], nullptr));
}

void PagedTiles::forget_copy(plan::TileId tile) {
  if (const std::optional<int64_t> slot = std::exchange(slots_[tile.index()], std::nullopt)) {
    file_->release(*slot, bytes_of(tile));
  }
}

void PagedTiles::spill(plan::TileId tile) {
  {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr) {
      file_ = std::make_unique<store::SpillFile>(spill_directory_);
      spills_.resize(graph_.tiles.size());
    }
    spilled_bytes_ += bytes_of(tile);
    ++num_spills_;
    ++spills_[tile.index()];
  }
  slots_[tile.index()] = file_->write(of(tile), bytes_of(tile));
}

void PagedTiles::load(plan::TileId tile) const {
  if (const std::optional<int64_t> slot = slots_[tile.index()]) {
    file_->read(*slot, of(tile), bytes_of(tile));
    return;
  }
  const plan::TaskInfo& read = *reads_[tile.index()];
  const plan::TileInfo& info = graph_.tiles[tile.index()];
  context_.sources.at(read.name)->read(dense_view(of(tile), info.dtype, info.box));
}

std::string PagedTiles::note() const {
  return file_ != nullptr && file_->is_in_memory()
             ? fmt::format(
                   "tiles were spilled to {}, which is in memory itself (a tmpfs); "
                   "a spill directory on a disk would save memory",
                   spill_directory_)
             : "";
}

int64_t PagedTiles::bytes_of(plan::TileId tile) const {
  const plan::TileInfo& info = graph_.tiles[tile.index()];
  return size_in_bytes({info.dtype, info.box.extent});
}

}  // namespace tessera::runtime
