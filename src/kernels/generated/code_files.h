#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/generated/image.h"

namespace tessera::kernels::generated {

/// Machine code kept in files of a directory for later runs, which then need no compiler.
///
/// What is read is run, so only files are read that this user alone may write, in a directory of
/// which that holds too; a file that is damaged, or not of this program, is as none. A file is
/// written under another name and renamed, so that any number of processes may share a directory.
/// Where there is no room, no right or no directory, nothing is kept. Threads: any number.
///
/// A file is, in the machine's order of bytes:
///
///   offset  bytes
///   0       8      "tsracode"
///   8       8      entry: where the function begins in the image
///   16      8      size of the image
///   24      32     digest of the name and the image, in text
///   56             the image
class CodeFiles {
 public:
  /// So many bytes are kept at most, by what was written last.
  static constexpr int64_t kMostBytes = int64_t{16} << 20;

  explicit CodeFiles(std::string directory) : directory_(std::move(directory)) {}

  /// Whether there is a file of a name; it may turn out to be damaged.
  bool has(const std::string& name) const;

  std::optional<Image> read(const std::string& name) const;

  void write(const std::string& name, const Image& image) const;

  /// A number of seconds in a file like those of code, in place of an image.
  std::optional<double> seconds(const std::string& name) const;
  void write_seconds(const std::string& name, double seconds) const;

 private:
  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  bool is_private() const;
  void make_room(int64_t bytes) const;

  std::string directory_;
};

}  // namespace tessera::kernels::generated
