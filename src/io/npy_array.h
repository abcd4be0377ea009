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

/// Bytes that are read at places: those of a file, or of a member of an archive.
/// Threads: read() may be called from any number at once.
struct ReadableBytes {
  std::string name;  // for messages
  int64_t size = 0;
  std::function<void(int64_t offset, std::byte* into, int64_t bytes)> read;
  std::function<void()> check_unchanged;  // as that of TileSource; none where nothing can change
  std::string stamp = {};                 // as that of TileSource
  /// Reads many runs at once; none where they are read one by one.
  std::function<void(std::span<const Run> runs)> read_runs = nullptr;
};

/// Those of a file, which is to stay as it is.
ReadableBytes readable_bytes(const std::shared_ptr<const File>& file);

/// Bytes that are written at places, all of which there are from the beginning; what was not
/// written yet reads as anything.
/// Threads: both may be called from any number at once, on parts that do not overlap.
struct WritableBytes {
  std::string name;  // for messages
  std::function<void(int64_t offset, std::byte* into, int64_t bytes)> read;
  std::function<void(int64_t offset, const std::byte* from, int64_t bytes)> write;
  /// Keeps other processes from a part until what it returns is gone; none where nobody else
  /// writes.
  std::function<std::shared_ptr<void>(int64_t offset, int64_t bytes)> hold = nullptr;
};

/// Those of a file that other processes write too. Borrows the file.
WritableBytes shared_bytes(const File& file);

/// The array whose .npy bytes (npy_header.h) these are. `declared` is the dtype that the user says,
/// `is_marked` whether something beside the bytes says bf16; it is asked only where that counts.
/// Errors: as npy_element and parse_npy_header; `resource` for an array that is cut off.
std::unique_ptr<store::TileSource> open_npy_array(ReadableBytes bytes,
                                                  std::optional<DType> declared,
                                                  const std::function<bool()>& is_marked);

/// Writes an array as .npy bytes, part by part; the header at once.
/// Threads: write() may be called from any number at once, on parts that do not overlap.
class NpyWriter {
 public:
  NpyWriter(WritableBytes bytes, const ArrayType& type);

  /// How many bytes an array takes, its header among them.
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
  mutable std::shared_mutex gaps_;  // alone while bytes of other parts are written back
};

}  // namespace tessera::io
