#include "database/database_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::database {

namespace {

namespace fs = std::filesystem;

constexpr std::array kOwnNames{"catalog.sqlite",     "catalog.sqlite-wal",     "lock",
                               "catalog.sqlite-shm", "catalog.sqlite-journal", "tensors"};

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns the size of a file; 0 also if there is none.
uintmax_t bytes_of(const std::string& path) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

bool is_writable(const std::string& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 || errno == ENOENT;
}

void make_folders(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory + kTensorsFolder, error);
  TESSERA_USER_CHECK(!error, "cannot make the database {}: {}", directory, error.message());
}

[[noreturn]] void fail_without_catalog(const std::string& directory) {
  std::error_code error;
  const bool is_there = fs::exists(directory + kCatalogFile, error);
  throw_error(ErrorKind::resource,
              "{} holds {}: catalog.sqlite, which has the tables, {}. Nothing was changed; "
              "put a copy of that file back, or name another folder",
              directory,
              names_in(directory + kTensorsFolder).empty() ? "a database without a catalog"
                                                           : "tensors without a catalog",
              is_there ? "is empty" : "is missing");
}

[[noreturn]] void fail_foreign(const std::string& directory, const std::vector<std::string>& names,
                               const std::string& foreign) {
  const size_t num_others = names.size() - 1;
  throw_error(ErrorKind::user,
              "{} is no database: it holds {}{}; name an empty folder or one that is not there, "
              "{} for example",
              directory, foreign, num_others == 0 ? "" : fmt::format(" and {} more", num_others),
              (fs::path(directory) / "db").string());
}

}  // namespace

DatabaseFolder open_folder(const std::string& directory) {
  std::error_code error;
  if (!fs::exists(directory, error)) {
    make_folders(directory);
  }
  TESSERA_USER_CHECK(fs::is_directory(directory, error),
                     "cannot open the database {}: it is no directory", directory);
  const std::string catalog = directory + kCatalogFile;
  TESSERA_USER_CHECK(!fs::is_directory(catalog, error),
                     "cannot open the database {}: {} is a directory, and no file", directory,
                     catalog);
  const std::vector<std::string> names = names_in(directory);
  const bool has_lock = fs::exists(directory + kLockFile, error);
  const bool has_tensors = !names_in(directory + kTensorsFolder).empty();
  const bool has_log = bytes_of(catalog + "-wal") > 0;
  // Checked last: a process that makes a database meanwhile begins with this file.
  if (bytes_of(catalog) == 0) {
    if (has_lock || has_tensors || has_log) {
      fail_without_catalog(directory);
    }
    const auto foreign = std::find_if(names.begin(), names.end(), [](const std::string& name) {
      return std::find(kOwnNames.begin(), kOwnNames.end(), name) == kOwnNames.end();
    });
    if (foreign != names.end()) {
      fail_foreign(directory, names, *foreign);
    }
    make_folders(directory);
    return {Connection::Access::create, true};
  }
  if (is_writable(directory) && is_writable(catalog) && is_writable(directory + kTensorsFolder)) {
    make_folders(directory);
    const bool is_unused = !has_lock && !has_tensors;
    return {is_unused ? Connection::Access::create : Connection::Access::write, is_unused};
  }
  const bool is_open_elsewhere = fs::exists(catalog + "-shm", error);
  return {
      has_log || is_open_elsewhere ? Connection::Access::read : Connection::Access::read_unlocked,
      false};
}

}  // namespace tessera::database
