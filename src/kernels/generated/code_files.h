#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/generated/image.h"

namespace tessera::kernels::generated {

/// Machine code kept in files of a directory for later runs, which then need no compiler.
///
/// Files are executed, so only files that this user alone may write are read, in a directory that
/// this holds for too. A file that is damaged, or not of this program, counts as missing. A file is
/// written under another name and renamed, so that any number of processes may share a directory.
/// Without room, permission or a directory, nothing is kept. Threads: any number.
///
/// A file is, in the machine's order of bytes:
///
///   offset  bytes
///   0       8      "tsracode"
///   8       8      entry: the byte of the image where the function begins
///   16      8      size of the image
///   24      32     digest of the name and the image, in text
///   56             the image
class CodeFiles {
 public:
  /// The most bytes that are kept, the latest ones.
  static constexpr int64_t kMostBytes = int64_t{16} << 20;

  explicit CodeFiles(std::string directory) : directory_(std::move(directory)) {}

  /// True if there is a file of a name; it may prove to be damaged.
  bool has(const std::string& name) const;

  std::optional<Image> read(const std::string& name) const;

  void write(const std::string& name, const Image& image) const;

  /// Returns seconds kept in a file like those of code, in place of an image.
  std::optional<double> seconds(const std::string& name) const;
  void write_seconds(const std::string& name, double seconds) const;

 private:
  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  bool is_private() const;
  void make_room(int64_t bytes) const;

  std::string directory_;
};

}  // namespace tessera::kernels::generated
