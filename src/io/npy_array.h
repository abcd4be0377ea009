#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>

#include "io/file.h"
#include "io/runs.h"
#include "store/tile_io.h"
#include "types/box_spans.h"

namespace tessera::io {

/// Bytes that are read by place: those of a file, or of a member of an archive. Threads: read() may
/// be called from any number at once.
struct ReadableBytes {
  std::string name;  // for messages
  int64_t size = 0;
  std::function<void(int64_t offset, std::byte* into, int64_t bytes)> read;
  std::function<void()> check_unchanged;  // like TileSource's; none if nothing can change
  std::string stamp = {};                 // like TileSource's
  /// Reads many runs at once; none if they are read one by one.
  std::function<void(std::span<const Run> runs)> read_runs = nullptr;
};

/// Returns the bytes of a file, which must not change.
ReadableBytes readable_bytes(const std::shared_ptr<const File>& file);

/// Bytes that are written by place, all of which exist from the beginning; unwritten ones have any
/// value. Threads: both may be called from any number at once, on parts that do not overlap.
struct WritableBytes {
  std::string name;  // for messages
  std::function<void(int64_t offset, std::byte* into, int64_t bytes)> read;
  std::function<void(int64_t offset, const std::byte* from, int64_t bytes)> write;
  /// Locks other processes out of a part until its result is gone; none if nobody else writes.
  std::function<std::shared_ptr<void>(int64_t offset, int64_t bytes)> hold = nullptr;
};

/// Returns the bytes of a file that other processes write too. Borrows the file.
WritableBytes shared_bytes(const File& file);

/// Opens the array with these .npy bytes (npy_header.h). `declared` is the dtype that the user
/// declares, `is_marked` tells if something beside the bytes marks bf16; it is asked only if that
/// counts. Errors: those of npy_element and parse_npy_header; `resource` for an array that is cut
/// off.
std::unique_ptr<store::TileSource> open_npy_array(ReadableBytes bytes,
                                                  std::optional<DType> declared,
                                                  const std::function<bool()>& is_marked);

/// A writer of an array as .npy bytes, part by part; the header at once. Threads: write() may be
/// called from any number at once, on parts that do not overlap.
class NpyWriter {
 public:
  NpyWriter(WritableBytes bytes, const ArrayType& type);

  /// Returns the bytes of an array with its header.
  static int64_t total_bytes(const ArrayType& type);

  void write(const TileView& from) const;

 private:
  void write_dense(const TileView& from, const BoxSpans& spans) const;
  void write_strided(const TileView& from) const;
  void fill_in(const TileView& from, const BoxSpans& spans) const;
  std::shared_ptr<void> hold(const BoxSpan& span) const;

  WritableBytes bytes_;
  ArrayType type_;
  int64_t data_offset_;
  mutable std::shared_mutex gaps_;  // exclusive while bytes of other parts are written back
};

}  // namespace tessera::io
