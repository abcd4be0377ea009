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
/// that knows no files without a name it bears the temporary one from the start, which no reader
/// takes for a result. A symbolic link is followed: the file it points to is replaced.
///
/// Threads: read_at and write_at may be called from any number at once on parts that do not
/// overlap; commit() after all of them have returned.
class AtomicFile {
 public:
  /// Whether it has a name before it is committed: `temporary`, so that other hosts find it.
  enum class Name { none, temporary };
  /// The treatment of a file that already has the final name.
  enum class Existing { replaced, refused };

  /// Creates the temporary file with `bytes` bytes reserved, so that a full disk is found here
  /// where the filesystem can tell.
  /// Errors: `user` if the directory is missing or the name is that of a directory or device;
  /// `resource` if it cannot be created, is too large for the disk, or may not replace a file that
  /// is there, now or when it is committed.
  AtomicFile(const std::string& path, int64_t bytes, Name name = Name::none,
             Existing existing = Existing::replaced);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// The final name.
  const std::string& path() const { return path_; }
  /// Where other processes find it until commit(): under its temporary name, or through this
  /// process.
  std::string meeting_place() const;
  const File& file() const { return file_; }

  void read_at(int64_t offset, std::byte* into, int64_t bytes) const {
    file_.read_exactly(offset, into, bytes);
  }
  void write_at(int64_t offset, const std::byte* from, int64_t bytes) {
    file_.write_exactly(offset, from, bytes);
  }

  /// Names the file. Where that is to survive a power failure, its bytes are brought to the disk
  /// before and the name after, so that one of the two files is there at any moment.
  /// REQUIRES: not called before.
  void commit(store::Durability durability);

 private:
  void give_final_name();
  void remove_temporary() noexcept;

  std::string path_;
  Existing existing_;
  std::string temporary_;  // its name so far; empty while it has none and once committed
  bool committed_ = false;
  File file_;
};

}  // namespace tessera::io
