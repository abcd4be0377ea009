#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/file.h"
#include "store/tile_io.h"

namespace tessera::io {

/// A file that appears under its name only when it is complete.
///
/// It is written without a name in the directory of its final one; commit() names it
/// `.NAME.tmp-<process>-<number>` and renames that, which replaces an older file at once. Destroyed
/// without commit() it leaves nothing, and neither does a process that is killed. On a filesystem
/// without nameless files it has the temporary name from the start, which no reader takes for a
/// result. A symbolic link is followed: its target is replaced.
///
/// Threads: read_at and write_at may be called from any number at once on parts that do not
/// overlap; commit() after all of them have returned.
class AtomicFile {
 public:
  /// The name before the commit: `temporary`, so that other hosts find it.
  enum class Name { none, temporary };
  /// The treatment of a file that already has the final name.
  enum class Existing { replaced, refused };

  /// Creates the temporary file with `bytes` bytes reserved, so that a full disk is found here if
  /// the filesystem can tell. Errors: `user` if the directory is missing or the name is that of a
  /// directory or device; `resource` if it cannot be created, is too large for the disk, or may not
  /// replace an existing file, at once or at the commit.
  AtomicFile(const std::string& path, int64_t bytes, Name name = Name::none,
             Existing existing = Existing::replaced);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// The final name.
  const std::string& path() const { return path_; }
  /// Returns where other processes find it until commit(): under its temporary name, or through
  /// this process.
  std::string meeting_place() const;
  const File& file() const { return file_; }

  void read_at(int64_t offset, std::byte* into, int64_t bytes) const {
    file_.read_exactly(offset, into, bytes);
  }
  void write_at(int64_t offset, const std::byte* from, int64_t bytes) {
    file_.write_exactly(offset, from, bytes);
  }

  /// Names the file. If that is to survive a power failure, its bytes are synced to the disk before
  /// and the name after, so that one of the two files is there at any moment. REQUIRES: not called
  /// before.
  void commit(store::Durability durability);

 private:
  void give_final_name();
  void remove_temporary() noexcept;

  std::string path_;
  Existing existing_;
  std::string temporary_;  // empty while it has none and after the commit
  bool committed_ = false;
  File file_;
};

}  // namespace tessera::io
