#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/tile_io.h"

namespace tessera::io {

/// Bytes that are read at places: those of a file, or of a member of an archive.
/// Threads: read() may be called from any number at once.
struct ReadableBytes {
  std::string name;  // for messages
  int64_t size = 0;
  std::function<void(int64_t offset, std::byte* into, int64_t bytes)> read;
};

/// Bytes that are written at places.
/// Threads: write() may be called from any number at once, on parts that do not overlap.
struct WritableBytes {
  std::string name;  // for messages
  std::function<void(int64_t offset, const std::byte* from, int64_t bytes)> write;
};

/// The array whose .npy bytes (npy_header.h) these are. `declared` is the dtype that the user says,
/// `is_marked` whether something beside the bytes says bf16; it is asked only where that counts.
/// Errors: as npy_element and parse_npy_header; `resource` for an array that is cut off.
std::unique_ptr<store::TileSource> open_npy_array(ReadableBytes bytes,
                                                  std::optional<DType> declared,
                                                  const std::function<bool()>& is_marked);

/// Writes an array as .npy bytes, part by part; the header at once.
class NpyWriter {
 public:
  NpyWriter(WritableBytes bytes, const ArrayType& type);

  /// How many bytes an array takes, its header among them.
  static int64_t total_bytes(const ArrayType& type);

  void write(const TileView& from) const;

 private:
  void write_box(const Box& box, const std::byte* from) const;
  void write_strided(const TileView& from) const;

  WritableBytes bytes_;
  ArrayType type_;
  int64_t data_offset_;
};

}  // namespace tessera::io
