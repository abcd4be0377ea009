#include "store/spill_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/temporary_file.h"

namespace tessera::store {

namespace {

/// Returns the size of a place: whole blocks of the disk.
int64_t block_bytes(int64_t bytes) {
  constexpr int64_t kBlock = 4096;
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

std::string text_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

SpillFile::SpillFile(std::string directory)
    : directory_(std::move(directory)), descriptor_(open_unnamed_file(directory_)) {
  if (descriptor_ < 0) {
    const int error = errno;
    std::error_code ignored;
    const bool is_there = std::filesystem::is_directory(directory_, ignored);
    const std::string reason = error == ENOENT ? "" : " (" + text_of(error) + ")";
    const std::string fault =
        is_there ? "no file can be made in it" + reason : "there is no such directory";
    throw Error(is_there ? ErrorKind::resource : ErrorKind::user,
                fmt::format("tiles cannot be spilled to {}: {}", directory_, fault))
        .suggest({Setting::spill_directory, ""});
  }
  struct statfs filesystem = {};
  is_in_memory_ = ::fstatfs(descriptor_, &filesystem) == 0 && filesystem.f_type == TMPFS_MAGIC;
}

SpillFile::~SpillFile() {
  ::close(descriptor_);
}

int64_t SpillFile::write(const std::byte* from, int64_t bytes) {
  const int64_t slot = take(block_bytes(bytes));
  int64_t written = 0;
  while (written < bytes) {
    const ssize_t count =
        ::pwrite(descriptor_, from + written, static_cast<size_t>(bytes - written), slot + written);
    if (count < 0 && errno != EINTR) {
      const int error = errno;
      release(slot, bytes);
      throw_failure("written to", error);
    }
    written += std::max<ssize_t>(count, 0);
  }
  return slot;
}

void SpillFile::read(int64_t slot, std::byte* into, int64_t bytes) const {
  int64_t done = 0;
  while (done < bytes) {
    const ssize_t count =
        ::pread(descriptor_, into + done, static_cast<size_t>(bytes - done), slot + done);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      throw_failure("read back from", count == 0 ? EIO : errno);
    }
    done += std::max<ssize_t>(count, 0);
  }
}

void SpillFile::release(int64_t slot, int64_t bytes) {
  if (bytes == 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  auto place = free_.emplace(slot, block_bytes(bytes)).first;
  const auto after = std::next(place);
  if (after != free_.end() && place->first + place->second == after->first) {
    place->second += after->second;
    free_.erase(after);
  }
  if (place != free_.begin()) {
    const auto before = std::prev(place);
    if (before->first + before->second == place->first) {
      before->second += place->second;
      free_.erase(place);
    }
  }
}

/// Takes the first place that is large enough.
int64_t SpillFile::take(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto place = std::find_if(free_.begin(), free_.end(),
                                  [&](const auto& free) { return free.second >= bytes; });
  if (place == free_.end()) {
    return std::exchange(end_, end_ + bytes);
  }
  const auto [slot, size] = *place;
  free_.erase(place);
  if (size > bytes) {
    free_.emplace(slot + bytes, size - bytes);
  }
  return slot;
}

void SpillFile::throw_failure(const char* what, int error) const {
  struct statfs filesystem = {};
  const bool is_known = ::fstatfs(descriptor_, &filesystem) == 0;
  const std::string room =
      is_known ? fmt::format(
                     " ({} free)",
                     byte_size_text(static_cast<int64_t>(filesystem.f_bavail) * filesystem.f_bsize))
               : "";
  throw Error(ErrorKind::resource,
              fmt::format("a tile cannot be {} the spill file in {}{}: {}; a larger memory budget "
                          "spills less",
                          what, directory_, room, text_of(error)))
      .suggest({Setting::spill_directory, ""});
}

}  // namespace tessera::store
