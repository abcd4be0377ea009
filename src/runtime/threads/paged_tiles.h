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

/// The bytes of a plan's tiles, in memory or in the spill file, and how they get from one to the
/// other. It decides nothing: `Schedule` says what moves when. A tile of a source that lends it is
/// read where it lies.
///
/// Threads: any number at once, each on tiles of its own; a tile that others read stays where it
/// is.
class PagedTiles : public TileBytes {
 public:
  /// The spill file is made in `spill_directory` when the first tile is spilled.
  PagedTiles(const plan::TaskGraph& graph, const RunContext& context,
             const PreparedKernels& kernels, std::string spill_directory);
  ~PagedTiles() override;
  PagedTiles(const PagedTiles&) = delete;
  PagedTiles& operator=(const PagedTiles&) = delete;

  TileView view(plan::TileId tile) const override;
  /// Its bytes. REQUIRES that it is dense.
  std::byte* of(plan::TileId tile) const { return view(tile).data; }

  /// Takes the memory of a tile, unless a source may lend it.
  void allocate(plan::TileId tile);

  /// Gives the tile's memory back, or what its source lent; what is in the spill file stays there.
  void release_memory(plan::TileId tile);

  /// Gives back its place in the spill file: the tile has changed or is not needed any more.
  void forget_copy(plan::TileId tile);

  /// Writes an allocated tile to the spill file. Errors: those of SpillFile.
  void spill(plan::TileId tile);

  /// Fills an allocated tile from the spill file, or from its source if it is not there. One that
  /// is read again from a source which brings in many times its bytes for it gets a copy in the
  /// spill file, if there is room and it is on a disk.
  void load(plan::TileId tile);

  int64_t spilled_bytes() const { return spilled_bytes_; }
  int64_t num_spills() const { return num_spills_; }
  /// Of tiles that were copied to it when they were read again.
  int64_t copied_bytes() const { return copied_bytes_; }
  /// How often every tile was spilled; empty if none was.
  const std::vector<int32_t>& spills() const { return spills_; }
  /// What the user should know about the spill file; empty if nothing.
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
  std::vector<std::byte*> owned_;  // by tile; null where it is lent, and while not in memory
  LentTiles lent_;
  std::vector<std::optional<int64_t>> slots_;  // by tile: its place in the spill file
  std::vector<const plan::TaskInfo*> reads_;   // by tile: the task that read it, or null
  std::vector<uint8_t> were_read_;             // by tile: whether it was read from its source
  std::atomic<bool> keeps_copies_ = true;      // of what is dear to read
  std::mutex mutex_;                           // of what follows
  std::unique_ptr<store::SpillFile> file_;
  int64_t spilled_bytes_ = 0;
  int64_t num_spills_ = 0;
  int64_t copied_bytes_ = 0;
  std::vector<int32_t> spills_;
};

}  // namespace tessera::runtime
