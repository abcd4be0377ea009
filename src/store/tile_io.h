#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "types/array_type.h"
#include "types/storage_order.h"
#include "types/tile_view.h"

namespace tessera::store {

/// Counts the consecutive positions from the first one on. REQUIRES that there is one.
size_t run_length(std::span<const int64_t> positions);

/// A source of the tiles of a user's tensor: a file of io/, a generator. It is read tile by tile,
/// never as a whole. Threads: read() may be called from any number at once.
class TileSource {
 public:
  virtual ~TileSource() = default;
  virtual ArrayType type() const = 0;
  /// Returns the storage order of a file.
  virtual StorageOrder order() const { return StorageOrder::row_major; }

  /// Fills `into`, a dense view of this source's dtype whose origin and shape select the part.
  /// Errors: `resource`, naming the file, if it cannot be read or is shorter than its header says.
  virtual void read(const TileView& into) const = 0;

  /// Fills `into`, a dense view of this source's dtype, with the elements at these positions of one
  /// mode, in their order: into.shape[mode] of them, each within the source. Modes before it are
  /// read at one position, those behind it in a part, which into.origin selects. Errors: those of
  /// read().
  virtual void gather(const TileView& into, size_t mode, std::span<const int64_t> positions) const;

  /// Returns a part in place in memory, with its strides there, which may be read as long as the
  /// source lives; nothing if it is to be read. (A file is not lent: mapping its pages takes as
  /// long as copying them into a cache, measured, unless they are huge.)
  virtual std::optional<TileView> lend(const Box& part) const;

  /// True if reading is no more than copying from memory.
  virtual bool is_memory() const { return false; }

  /// Returns the bytes brought in to read a part: for a file including the gaps between its runs,
  /// if reading these takes less than a call for each run.
  virtual int64_t bytes_to_read(const Box& part) const;

  /// Checks the source at the end of a run. Errors: `user` if the data are others than when the
  /// source was opened, so that the read tiles may not belong together.
  virtual void check_unchanged() const {}

  /// Returns a stamp that other data under the same name would change, without reading them: for a
  /// file its length and time of last write. Empty if nothing is known.
  virtual std::string stamp() const { return ""; }
};

/// The events that a committed result survives.
enum class Durability : uint8_t {
  process,  // the end of the process, for any reason
  system    // a power failure too: commit() waits for the disk
};

/// A sink of the tiles of a result. Nothing is visible under the final name before commit(); a sink
/// that is destroyed without it leaves nothing behind. Threads: write() may be called from any
/// number at once, on parts that do not overlap.
class TileSink {
 public:
  virtual ~TileSink() = default;

  /// Writes a (possibly strided) part of the tensor; its origin and shape select the part. Errors:
  /// `resource`, naming the file, if it cannot be written (disk full).
  virtual void write(const TileView& from) = 0;
  virtual void commit(Durability durability) = 0;

  /// True if writing is no more than copying to memory.
  virtual bool is_memory() const { return false; }
};

}  // namespace tessera::store
