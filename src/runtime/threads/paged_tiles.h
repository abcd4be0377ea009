#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/lent_tiles.h"
#include "runtime/task_body.h"
#include "store/spill_file.h"
#include "store/tile_store.h"

namespace tessera::runtime {

/// The bytes of a plan's tiles, in memory or in the spill file, and the transfers between both. It
/// decides nothing: `Schedule` tells what moves when. A tile of a source that lends it is read in
/// place.
///
/// Threads: any number at once, each on tiles of its own; a tile that others read stays in place.
class PagedTiles : public TileBytes {
 public:
  /// Makes the spill file in `spill_directory` when the first tile is spilled.
  PagedTiles(const plan::TaskGraph& graph, const RunContext& context,
             const PreparedKernels& kernels, std::string spill_directory);
  ~PagedTiles() override;
  PagedTiles(const PagedTiles&) = delete;
  PagedTiles& operator=(const PagedTiles&) = delete;

  TileView view(plan::TileId tile) const override;
  /// Returns its bytes. REQUIRES that it is dense.
  std::byte* of(plan::TileId tile) const { return view(tile).data; }

  /// Takes the memory of a tile, unless a source may lend it.
  void allocate(plan::TileId tile);

  /// Frees the tile's memory, or ends its source's loan; its copy in the spill file stays.
  void release_memory(plan::TileId tile);

  /// Frees its place in the spill file: the tile has changed or is not needed any more.
  void forget_copy(plan::TileId tile);

  /// Writes an allocated tile to the spill file. Errors: those of SpillFile.
  void spill(plan::TileId tile);

  /// Fills an allocated tile from the spill file, or from its source if it is not there. If the
  /// source reads many times the tile's bytes for it, a tile that is read again gets a copy in the
  /// spill file, if there is room and that is on a disk.
  void load(plan::TileId tile);

  int64_t spilled_bytes() const { return spilled_bytes_; }
  int64_t num_spills() const { return num_spills_; }
  /// Returns the bytes of tiles that were copied to the spill file when they were read again.
  int64_t copied_bytes() const { return copied_bytes_; }
  /// The number of spills of every tile; empty if none was spilled.
  const std::vector<int32_t>& spills() const { return spills_; }
  /// Returns a note to the user about the spill file; empty if none.
  std::string note() const;

 private:
  int64_t bytes_of(plan::TileId tile) const;
  store::TileStore& store_of(plan::TileId tile) const;
  void take_memory(plan::TileId tile);
  bool is_dear_to_read(const store::TileSource& source, plan::TileId tile) const;
  void keep_copy(plan::TileId tile);
  store::SpillFile& file();
  void write(plan::TileId tile);

  const plan::TaskGraph& graph_;
  const RunContext& context_;
  std::string spill_directory_;
  std::vector<std::byte*> owned_;  // by tile; null if lent, or not in memory
  LentTiles lent_;
  std::vector<std::optional<int64_t>> slots_;  // by tile: its place in the spill file
  std::vector<const plan::TaskInfo*> reads_;   // by tile: the task that read it, or null
  std::vector<uint8_t> were_read_;             // by tile: true if it was read from its source
  std::atomic<bool> keeps_copies_ = true;      // of tiles that are expensive to read
  std::mutex mutex_;                           // of the members below
  std::unique_ptr<store::SpillFile> file_;
  int64_t spilled_bytes_ = 0;
  int64_t num_spills_ = 0;
  int64_t copied_bytes_ = 0;
  std::vector<int32_t> spills_;
};

}  // namespace tessera::runtime
