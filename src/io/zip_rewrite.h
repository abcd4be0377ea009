#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <zip.h>

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/file.h"

namespace tessera::io {

struct ArchiveClose {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
/// An open ZIP archive; uncommitted changes are discarded with it.
using Archive = std::unique_ptr<zip_t, ArchiveClose>;

/// Returns the words for an error of the archive library.
std::string zip_reason(int code);

/// Opens an archive for reading. Errors: those of open_to_read(); `user` if it is no archive.
Archive open_archive(const File& file);

/// A ZIP archive whose members are changed: read from the existing file, if there is one, and
/// written to an AtomicFile that replaces it. (The archive library would write a file with a name
/// of its own, which a killed process leaves behind.)
class ZipRewrite {
 public:
  /// Errors: those of AtomicFile; `user` if the existing file is no archive.
  explicit ZipRewrite(const std::string& path);
  ZipRewrite(const ZipRewrite&) = delete;
  ZipRewrite& operator=(const ZipRewrite&) = delete;

  /// Adds a member or replaces it: `bytes` bytes from the beginning of a file, stored uncompressed.
  /// Errors: `resource`.
  void store(const std::string& member, const File& from, int64_t bytes);

  /// Writes the archive and gives it its name. Errors: `resource`. REQUIRES: not called before.
  void commit(store::Durability durability);

 private:
  static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command);
  zip_int64_t handle(void* data, zip_uint64_t length, zip_source_cmd_t command);
  zip_int64_t state(zip_stat_t& status);
  zip_int64_t read(std::byte* into, int64_t bytes);
  zip_int64_t write(const std::byte* from, int64_t bytes);
  zip_int64_t seek(int64_t& position, int64_t size, void* data, zip_uint64_t length);
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;
  std::optional<File> before_;
  int64_t before_bytes_ = 0;
  AtomicFile after_;
  int64_t read_at_ = 0;
  int64_t write_at_ = 0;
  int64_t after_bytes_ = 0;
  zip_error_t error_;            // for the library
  std::optional<Error> thrown_;  // the cause behind it
  Archive archive_;
};

}  // namespace tessera::io
