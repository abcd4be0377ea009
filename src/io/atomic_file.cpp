#include "io/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::io {

namespace {

namespace fs = std::filesystem;

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Returns the name that will be replaced: `path` itself, or the target of a symbolic link,
/// existing or not.
std::string final_path(const std::string& path) {
  constexpr int kMostLinks = 40;  // the same limit as Linux
  fs::path target = path;
  std::error_code ignored;
  for (int link = 0; link < kMostLinks; ++link) {
    if (!fs::is_symlink(target, ignored)) {
      return target.string();
    }
    target = directory_of(target) / fs::read_symlink(target, ignored);  // alone if it is absolute
  }
  throw_error(ErrorKind::user, "cannot write {}: its symbolic links lead nowhere", path);
}

void check_target(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  TESSERA_USER_CHECK(!name.empty() && name != "." && name != "..",
                     "cannot write '{}': it names no file", path);
  std::error_code ignored;
  const fs::path directory = directory_of(path);
  TESSERA_USER_CHECK(fs::is_directory(directory, ignored),
                     "cannot write {}: there is no directory {}; create it first (mkdir -p {})",
                     path, directory.string(), directory.string());
  std::error_code error;
  const fs::file_status target = fs::status(path, error);
  TESSERA_USER_CHECK(target.type() != fs::file_type::none, "cannot write {}: {}", path,
                     error.message());
  TESSERA_USER_CHECK(!fs::is_directory(target),
                     "cannot write {}: it is a directory; name a file in it", path);
  TESSERA_USER_CHECK(!fs::exists(target) || fs::is_regular_file(target),
                     "cannot write {}: it is not a regular file, which the complete one could "
                     "replace; name a file",
                     path);
}

std::string temporary_name(const std::string& path, int number) {
  constexpr size_t kLongestStem = 200;  // a file name has 255 bytes; the rest is for the suffix
  const std::string stem = fs::path(path).filename().string().substr(0, kLongestStem);
  const std::string name = fmt::format(".{}.tmp-{}-{}", stem, ::getpid(), number);
  return (fs::path(path).parent_path() / name).string();
}

/// Gives a file the first temporary name that is not taken (by another result of the same name).
/// `attempt` returns a negative number if it could not get the name. Errors: `resource`.
template <class Attempt>
int under_free_name(const std::string& path, std::string& temporary, Attempt attempt) {
  constexpr int kTries = 1000;
  for (int number = 0; number < kTries; ++number) {
    temporary = temporary_name(path, number);
    const int result = attempt(temporary.c_str());
    if (result >= 0) {
      return result;
    }
    if (errno != EEXIST) {
      break;
    }
  }
  const int error = errno;
  temporary.clear();
  throw_write_error(path, error, 0);
}

/// Opens a file without a name, or with a name that it stores in `temporary`.
int create_temporary(const std::string& path, AtomicFile::Name wanted, std::string& temporary) {
  const int unnamed =
      wanted == AtomicFile::Name::temporary
          ? -1
          : ::open(directory_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (unnamed >= 0) {
    return unnamed;
  }
  return under_free_name(path, temporary, [](const char* name) {
    return ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
}

/// Names a nameless file. (linkat with AT_EMPTY_PATH would need a privilege.)
void name_temporary(int descriptor, const std::string& path, std::string& temporary) {
  const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor);
  under_free_name(path, temporary, [&](const char* name) {
    return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  });
}

/// Reserves the bytes on the disk; a filesystem that cannot reserve gets the length only.
int reserve(int descriptor, int64_t bytes) {
  if (bytes == 0) {
    return 0;
  }
  int result = 0;
  do {
    result = ::fallocate(descriptor, 0, 0, bytes);
  } while (result != 0 && errno == EINTR);
  if (result == 0) {
    return 0;
  }
  if (errno != EOPNOTSUPP && errno != ENOSYS) {
    return errno;
  }
  return ::ftruncate(descriptor, bytes) == 0 ? 0 : errno;
}

/// Makes a rename durable. A filesystem that refuses to sync a directory keeps its own order.
void sync_directory(const std::string& path) noexcept {
  const int descriptor = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

[[noreturn]] void fail_existing(const std::string& path) {
  throw_error(ErrorKind::resource,
              "cannot write {}: there is such a file, which may not be replaced", path);
}

std::string checked_path(const std::string& path, AtomicFile::Existing existing) {
  std::string target = final_path(path);
  check_target(target);
  std::error_code ignored;
  if (existing == AtomicFile::Existing::refused && fs::exists(target, ignored)) {
    fail_existing(target);
  }
  return target;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, int64_t bytes, Name name, Existing existing)
    : path_(checked_path(path, existing)),
      existing_(existing),
      file_(create_temporary(path_, name, temporary_), path_) {
  if (const int error = reserve(file_.descriptor(), bytes); error != 0) {
    remove_temporary();
    throw_write_error(path_, error, bytes);
  }
}

AtomicFile::~AtomicFile() {
  remove_temporary();
}

std::string AtomicFile::meeting_place() const {
  return temporary_.empty() ? fmt::format("/proc/{}/fd/{}", ::getpid(), file_.descriptor())
                            : fs::absolute(temporary_).string();
}

void AtomicFile::give_final_name() {
  if (existing_ == Existing::replaced) {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      throw_write_error(path_, errno, 0);
    }
    temporary_.clear();
    return;
  }
  // A second name, because rename() replaces an existing file.
  if (::link(temporary_.c_str(), path_.c_str()) != 0) {
    if (errno == EEXIST) {
      fail_existing(path_);
    }
    throw_write_error(path_, errno, 0);
  }
  remove_temporary();
}

void AtomicFile::commit(store::Durability durability) {
  TESSERA_CHECK(!committed_, "{} is committed twice", path_);
  const bool is_synced = durability == store::Durability::system;
  if (is_synced && ::fdatasync(file_.descriptor()) != 0) {
    throw_write_error(path_, errno, 0);
  }
  if (temporary_.empty()) {
    name_temporary(file_.descriptor(), path_, temporary_);
  }
  give_final_name();
  committed_ = true;
  if (is_synced) {
    sync_directory(path_);
  }
}

void AtomicFile::remove_temporary() noexcept {
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    temporary_.clear();
  }
}

}  // namespace tessera::io
