#include "runtime/threads/paged_tiles.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace tessera::runtime {

namespace {

/// The factor from which a copy pays: it costs a write and is read once per use. For a product of
/// 2000 a side under 480 kB, whose tiles were read again with 16 times their bytes, copies take 0.6
/// of the time.
constexpr int64_t kTimesItsBytes = 4;

}  // namespace

PagedTiles::PagedTiles(const plan::TaskGraph& graph, const RunContext& context,
                       const PreparedKernels& kernels, std::string spill_directory)
    : graph_(graph),
      context_(context),
      spill_directory_(std::move(spill_directory)),
      owned_(graph.tiles.size(), nullptr),
      lent_(graph, context, kernels),
      slots_(graph.tiles.size()),
      reads_(graph.tiles.size(), nullptr),
      were_read_(graph.tiles.size(), 0) {
  for (const plan::TaskInfo& task : graph.tasks) {
    if (task.kind == plan::TaskKind::read_source) {
      reads_[task.outputs[0].tile.index()] = &task;
    }
  }
}

PagedTiles::~PagedTiles() {
  for (size_t tile = 0; tile < owned_.size(); ++tile) {
    release_memory(plan::TileId(static_cast<int64_t>(tile)));
  }
}

TileView PagedTiles::view(plan::TileId tile) const {
  return lent_.view(tile, owned_[tile.index()]);
}

void PagedTiles::allocate(plan::TileId tile) {
  if (!lent_.may_be_lent(tile)) {
    take_memory(tile);
  }
}

void PagedTiles::take_memory(plan::TileId tile) {
  owned_[tile.index()] = store_of(tile).allocate(bytes_of(tile));
}

void PagedTiles::release_memory(plan::TileId tile) {
  if (std::byte* const owned = std::exchange(owned_[tile.index()], nullptr)) {
    store_of(tile).release(owned);
  }
}

void PagedTiles::forget_copy(plan::TileId tile) {
  if (const std::optional<int64_t> slot = std::exchange(slots_[tile.index()], std::nullopt)) {
    file_->release(*slot, bytes_of(tile));
  }
}

void PagedTiles::spill(plan::TileId tile) {
  write(tile);
  const std::lock_guard lock(mutex_);
  spilled_bytes_ += bytes_of(tile);
  ++num_spills_;
  spills_.resize(graph_.tiles.size());
  ++spills_[tile.index()];
}

store::SpillFile& PagedTiles::file() {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) {
    file_ = std::make_unique<store::SpillFile>(spill_directory_);
  }
  return *file_;
}

void PagedTiles::write(plan::TileId tile) {
  slots_[tile.index()] = file().write(of(tile), bytes_of(tile));
}

void PagedTiles::load(plan::TileId tile) {
  if (lent_.may_be_lent(tile)) {
    if (lent_.lent(tile)) {
      return;
    }
    take_memory(tile);
  }
  if (const std::optional<int64_t> slot = slots_[tile.index()]) {
    file_->read(*slot, of(tile), bytes_of(tile));
    return;
  }
  const store::TileSource& source = *context_.sources.at(reads_[tile.index()]->name);
  source.read(view(tile));
  const bool is_read_again = std::exchange(were_read_[tile.index()], 1) != 0;
  if (is_read_again && is_dear_to_read(source, tile)) {
    keep_copy(tile);
  }
}

bool PagedTiles::is_dear_to_read(const store::TileSource& source, plan::TileId tile) const {
  return source.bytes_to_read(box_of(view(tile))) >= kTimesItsBytes * bytes_of(tile);
}

/// Keeps a copy of a tile. Without room, or on a disk in memory, the source is read again instead.
void PagedTiles::keep_copy(plan::TileId tile) {
  if (!keeps_copies_) {
    return;
  }
  try {
    if (file().is_in_memory()) {
      keeps_copies_ = false;
      return;
    }
    write(tile);
    const std::lock_guard lock(mutex_);
    copied_bytes_ += bytes_of(tile);
  } catch (const Error&) {
    keeps_copies_ = false;
  }
}

std::string PagedTiles::note() const {
  return num_spills_ > 0 && file_->is_in_memory()
             ? fmt::format(
                   "tiles were spilled to {}, which is in memory itself (a tmpfs); "
                   "a spill directory on a disk would save memory",
                   spill_directory_)
             : "";
}

store::TileStore& PagedTiles::store_of(plan::TileId tile) const {
  return *context_.stores[graph_.at(tile).space.index()];
}

int64_t PagedTiles::bytes_of(plan::TileId tile) const {
  return tessera::bytes_of(graph_.at(tile).type).at_most;
}

}  // namespace tessera::runtime
