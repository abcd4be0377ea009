#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/tile_io.h"

namespace tessera::io {

/// A file format for tensors. One file each in io/formats/, registered there.
struct Format {
  std::string name;                     // "npy"
  std::vector<std::string> extensions;  // ".npy"
  std::string summary;                  // one line for the reference page

  /// Opens a file; `declared` is the dtype that the user says its elements have, where he says one
  /// (bf16 in an .npy).
  std::unique_ptr<store::TileSource> (*open)(const std::string& path,
                                             std::optional<DType> declared) = nullptr;
  /// Creates a file; null for a format that is only read.
  std::unique_ptr<store::TileSink> (*create)(const std::string& path,
                                             const ArrayType& type) = nullptr;
};

/// The formats a session knows. Threads: filled once, then read by any number.
class FormatRegistry {
 public:
  void add(Format format);
  /// The format of a path by its extension. Errors: `user`, naming the extensions that are known.
  const Format& for_path(const std::string& path) const;
  const std::vector<Format>& all() const { return formats_; }

 private:
  std::vector<Format> formats_;
};

/// Adds every format of io/formats/ (the list is generated from the folder).
void register_all_formats(FormatRegistry& registry);

}  // namespace tessera::io
