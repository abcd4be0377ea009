#include "io/file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/temporary_file.h"

namespace tessera::io {

namespace {

namespace fs = std::filesystem;

std::string reason(int error) {
  return std::generic_category().message(error);
}

fs::path directory_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

/// Returns "; did you mean 'dir/A.npy'?" if the directory holds a name close to the missing one.
std::string nearest_file(const std::string& path) {
  constexpr size_t kMostNames = 10'000;  // an error message is not worth reading a huge directory
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator entry(directory_of(path), ignored), end; entry != end;
       entry.increment(ignored)) {
    if (ignored || names.size() == kMostNames) {
      break;
    }
    names.push_back(entry->path().filename().string());
  }
  const std::string stem = fs::path(path).stem().string();
  if (stem.size() == 1) {  // a single letter: every other one is close
    return "";
  }
  const auto nearest = closest_name(fs::path(path).filename().string(), names);
  if (!nearest) {
    return "";
  }
  return fmt::format("; did you mean '{}'?", (fs::path(path).parent_path() / *nearest).string());
}

[[noreturn]] void throw_open_error(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    std::error_code ignored;
    const fs::path directory = directory_of(path);
    if (!fs::is_directory(directory, ignored)) {
      throw_error(ErrorKind::user, "cannot read {}: there is no directory {}", path,
                  directory.string());
    }
    throw_error(ErrorKind::user, "cannot read {}: there is no such file{}", path,
                nearest_file(path));
  }
  const std::string remedy =
      error == EACCES ? "; make it readable for this user (chmod u+r) or copy it" : "";
  throw_error(ErrorKind::resource, "cannot read {}: {}{}", path, reason(error), remedy);
}

}  // namespace

File::File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

File::~File() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

int64_t File::size() const {
  return stamp().bytes;
}

std::string stamp_text(const FileStamp& stamp) {
  return fmt::format("{} bytes, written {}.{:09}", stamp.bytes, stamp.seconds, stamp.nanoseconds);
}

FileStamp File::stamp() const {
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) {
    throw_error(ErrorKind::resource, "cannot read the size of {}: {}", path_, reason(errno));
  }
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void File::check_unchanged(const FileStamp& before) const {
  TESSERA_USER_CHECK(stamp() == before,
                     "{} was changed while it was read, so that its parts may not belong together; "
                     "run again when nothing writes it",
                     path_);
}

/// Throws the error of a read past the end. A file that was cut off after opening ends before the
/// place.
void File::throw_end(int64_t offset, int64_t bytes) const {
  throw_error(ErrorKind::resource,
              "{} ends at byte {}, but {} more were expected at byte {}; was it cut off or is it "
              "still being written?",
              path_, std::min(size(), offset), byte_size_text(bytes), offset);
}

void File::resize(int64_t bytes) const {
  if (::ftruncate(descriptor_, bytes) != 0) {
    throw_write_error(path_, errno, bytes);
  }
}

void File::read_exactly(int64_t offset, std::byte* into, int64_t bytes) const {
  while (bytes > 0) {
    const ssize_t count = ::pread(descriptor_, into, static_cast<size_t>(bytes), offset);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      throw_error(ErrorKind::resource, "cannot read {} at byte {}: {}", path_, offset,
                  reason(errno));
    }
    if (count == 0) {
      throw_end(offset, bytes);
    }
    offset += count;
    into += count;
    bytes -= count;
  }
}

void File::write_exactly(int64_t offset, const std::byte* from, int64_t bytes) const {
  while (bytes > 0) {
    const ssize_t count = ::pwrite(descriptor_, from, static_cast<size_t>(bytes), offset);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      throw_write_error(path_, count == 0 ? ENOSPC : errno, bytes);
    }
    offset += count;
    from += count;
    bytes -= count;
  }
}

File open_to_read(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer would wait for ever; regular files ignore it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    throw_open_error(path, errno);
  }
  File file(descriptor, path);
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) {
    throw_open_error(path, errno);
  }
  TESSERA_USER_CHECK(!S_ISDIR(status.st_mode),
                     "cannot read {}: it is a directory; name a file in it", path);
  TESSERA_USER_CHECK(S_ISREG(status.st_mode),
                     "cannot read {}: it is not a regular file; tiles are read by position, so "
                     "save the data to a file first",
                     path);
  return file;
}

File open_unnamed(const std::string& directory) {
  const std::string name = directory + "/(a file without a name)";
  const int descriptor = open_unnamed_file(directory);
  if (descriptor < 0) {
    throw_write_error(name, errno, 0);
  }
  return {descriptor, name};
}

void throw_write_error(const std::string& path, int error, int64_t bytes) {
  if (error != ENOSPC && error != EDQUOT && error != EFBIG) {
    throw_error(ErrorKind::resource, "cannot write {}: {}", path, reason(error));
  }
  const std::string directory = directory_of(path).string();
  struct statvfs space = {};
  std::string free_text = "unknown";
  if (::statvfs(directory.c_str(), &space) == 0) {
    free_text = byte_size_text(static_cast<int64_t>(space.f_bavail * space.f_frsize));
  }
  const std::string needed =
      bytes > 0 ? fmt::format("{} more needed, ", byte_size_text(bytes)) : std::string();
  throw_error(ErrorKind::resource,
              "cannot write {}: {} ({}{} free in {}); free some space, raise the limit or write "
              "elsewhere",
              path, reason(error), needed, free_text, directory);
}

}  // namespace tessera::io
