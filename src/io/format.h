#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/shared_sink.h"
#include "store/tile_io.h"

namespace tessera::io {

/// The place of a tensor: a file, or a member of an archive.
struct Place {
  Place(std::string file) : path(std::move(file)) {}  // NOLINT: a path is a place
  Place(std::string file, std::string part, std::string tensor)
      : path(std::move(file)), member(std::move(part)), name(std::move(tensor)) {}

  std::string path;
  std::string member;  // empty if the user named none
  std::string name;    // the tensor's in the program: selects the member by default
};

/// A file format for tensors. One file each in io/formats/, registered there.
struct Format {
  std::string name;                     // "npy"
  std::vector<std::string> extensions;  // ".npy"
  std::string summary;                  // one line for the reference page

  /// Opens a file; `declared` is the dtype that the user declares for its elements, if any (bf16 in
  /// an .npy).
  std::unique_ptr<store::TileSource> (*open)(const Place& place,
                                             std::optional<DType> declared) = nullptr;
  /// Creates a file; null for a format that is only read.
  std::unique_ptr<store::TileSink> (*create)(const Place& place, const ArrayType& type) = nullptr;
  /// Creates a file that other processes write too; null for a format that cannot do so.
  std::unique_ptr<SharedSink> (*share)(const Place& place, const ArrayType& type,
                                       Reach reach) = nullptr;
  bool has_members = false;  // an archive: `path:member` names one
};

/// The formats that a session knows. Threads: filled once, then read by any number.
class FormatRegistry {
 public:
  void add(Format format);
  /// Returns the format of a path by its extension. Errors: `user`, naming the known extensions.
  const Format& for_path(const std::string& path) const;
  /// Returns the place that the user names for a tensor: `path`, or `path:member` of an archive.
  Place place_of(const std::string& text, const std::string& name) const;
  const std::vector<Format>& all() const { return formats_; }

 private:
  std::vector<Format> formats_;
};

/// Adds every format of io/formats/ (the list is generated from the folder).
void register_all_formats(FormatRegistry& registry);

}  // namespace tessera::io
