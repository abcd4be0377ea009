#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tessera::store {

/// A file without a name that tiles are written to when memory is short.
///
/// It is opened with O_TMPFILE, or opened and unlinked if the filesystem cannot: nothing is left,
/// however the process ends. Freed space is used again.
///
/// Threads: any number at once, on slots of their own.
class SpillFile {
 public:
  /// Errors: `user` if there is no such directory; `resource` if no file can be made in it.
  explicit SpillFile(std::string directory);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// True if the directory is in memory itself (a tmpfs), so that spilling to it frees none.
  bool is_in_memory() const { return is_in_memory_; }

  /// Writes `bytes` bytes to a free place. Returns the place, for read() and release(). Errors:
  /// `resource`, naming the directory and its free space (disk full).
  int64_t write(const std::byte* from, int64_t bytes);

  /// Reads the bytes that write() put at a place.
  void read(int64_t slot, std::byte* into, int64_t bytes) const;

  /// Frees the place of write(.., bytes).
  void release(int64_t slot, int64_t bytes);

 private:
  int64_t take(int64_t bytes);
  [[noreturn]] void throw_failure(const char* what, int error) const;

  std::string directory_;
  int descriptor_;
  bool is_in_memory_ = false;
  std::mutex mutex_;
  std::map<int64_t, int64_t> free_;  // bytes by place, neighbours joined
  int64_t end_ = 0;                  // end of all bytes ever used
};

}  // namespace tessera::store
