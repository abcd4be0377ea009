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

/// How many positions from the first one on follow each other. REQUIRES that there is one.
size_t run_length(std::span<const int64_t> positions);

/// Where the tiles of a user's tensor come from: a file of io/, a generator. Read tile by tile,
/// never as a whole. Threads: read() may be called from any number at once.
class TileSource {
 public:
  virtual ~TileSource() = default;
  virtual ArrayType type() const = 0;
  /// Which elements lie side by side where it is a file.
  virtual StorageOrder order() const { return StorageOrder::row_major; }

  /// Fills `into`, a dense view of this source's dtype whose origin and shape say which part is
  /// wanted. Errors: `resource`, naming the file, where it cannot be read or is shorter than its
  /// header says.
  virtual void read(const TileView& into) const = 0;

  /// Fills `into`, a dense view of this source's dtype, with what lies at these positions of one
  /// mode, in their order: into.shape[mode] of them, each within the source. Of modes before it one
  /// position is wanted, of those behind it a part; into.origin says which. Errors: as read().
  virtual void gather(const TileView& into, size_t mode, std::span<const int64_t> positions) const;

  /// A part where it lies in memory, with the strides that it has there, which may be read as long
  /// as the source lives; nothing where it is to be read. (A file is not lent: to map its pages
  /// takes as long as to copy them into a cache, measured, unless they are huge.)
  virtual std::optional<TileView> lend(const Box& part) const;

  /// Whether to read is no more than to copy from memory.
  virtual bool is_memory() const { return false; }

  /// Bytes that are brought in to read a part: of a file with what lies between its runs, where
  /// that takes less than a call for each.
  virtual int64_t bytes_to_read(const Box& part) const;

  /// For the end of a run. Errors: `user` where the data are others than when the source was
  /// opened, so that the tiles that were read may not belong together.
  virtual void check_unchanged() const {}

  /// What other data under the same name would have otherwise, without a look at them: of a file
  /// its length and when it was written last. Empty where nothing is known.
  virtual std::string stamp() const { return ""; }
};

/// What a result survives once it is committed.
enum class Durability : uint8_t {
  process,  // the end of the process, whatever ends it
  system    // a power failure too: commit() waits for the disk
};

/// Where the tiles of a result go. Nothing is visible under the final name before commit(); a sink
/// that is destroyed without it leaves nothing behind. Threads: write() may be called from any
/// number at once, on parts that do not overlap.
class TileSink {
 public:
  virtual ~TileSink() = default;

  /// Writes a (possibly strided) part of the tensor; its origin and shape say which.
  /// Errors: `resource`, naming the file, where it cannot be written (disk full).
  virtual void write(const TileView& from) = 0;
  virtual void commit(Durability durability) = 0;

  /// Whether to write is no more than to copy to memory.
  virtual bool is_memory() const { return false; }
};

}  // namespace tessera::store
