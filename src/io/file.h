#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::io {

/// A stamp that tells if a file is the same as before: its identity, its size, and the time of its
/// last write.
struct FileStamp {
  uint64_t inode = 0;
  int64_t bytes = 0;
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Formats "1024 bytes, written 1700000000.000000001": everything but the identity, which a copy
/// changes.
std::string stamp_text(const FileStamp& stamp);

/// An open file: its descriptor, closed on destruction, and the name that errors show.
///
/// Threads: read_exactly and write_exactly may be called from any number at once; neither moves a
/// file position.
class File {
 public:
  /// Takes over an open descriptor.
  File(int descriptor, std::string path);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

  /// Returns the current bytes of the file.
  int64_t size() const;
  /// Sets the length of the file; new bytes read as 0. Errors: `resource`.
  void resize(int64_t bytes) const;

  FileStamp stamp() const;

  /// Checks the stamp. Errors: `user` if the file was written since it had this stamp.
  void check_unchanged(const FileStamp& before) const;

  /// Reads `bytes` bytes from `offset`. Errors: `resource` if the file cannot be read or ends
  /// earlier.
  void read_exactly(int64_t offset, std::byte* into, int64_t bytes) const;

  /// Writes `bytes` bytes at `offset`. Errors: `resource`; a full disk is reported with its free
  /// bytes.
  void write_exactly(int64_t offset, const std::byte* from, int64_t bytes) const;

 private:
  [[noreturn]] void throw_end(int64_t offset, int64_t bytes) const;

  int descriptor_;
  std::string path_;
};

/// Opens a regular file for reading.
///
/// Errors: `user` if there is none (with the name nearest to it in its directory) or if it is a
/// directory or a pipe; `resource` if it may not be read.
File open_to_read(const std::string& path);

/// Opens a file without a name in a directory, for reading and writing: its bytes are gone with its
/// descriptor, however the process ends. Errors: `resource`.
File open_unnamed(const std::string& directory);

/// Throws the `resource` Error of a failed write to `path`: the reason, and for a full disk, quota
/// or file-size limit the requested and the free bytes. `error` is an errno value.
[[noreturn]] void throw_write_error(const std::string& path, int error, int64_t bytes);

}  // namespace tessera::io
