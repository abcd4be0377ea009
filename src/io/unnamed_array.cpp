#include "io/unnamed_array.h"

#include <cerrno>
#include <utility>

#include <sys/statvfs.h>

#include "base/error.h"

namespace tessera::io {

namespace {

/// Makes a file of this many bytes. All of them will be written, so a disk with less room is
/// reported full.
std::shared_ptr<const File> file_of(const std::string& directory, int64_t bytes) {
  File file = open_unnamed(directory);
  struct statvfs space = {};
  if (::statvfs(directory.c_str(), &space) == 0 &&
      static_cast<double>(bytes) >
          static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize)) {
    throw_write_error(file.path(), ENOSPC, bytes);
  }
  file.resize(bytes);
  return std::make_shared<const File>(std::move(file));
}

WritableBytes writable(const std::shared_ptr<const File>& file) {
  return {file->path(),
          [file](int64_t offset, std::byte* into, int64_t bytes) {
            file->read_exactly(offset, into, bytes);
          },
          [file](int64_t offset, const std::byte* from, int64_t bytes) {
            file->write_exactly(offset, from, bytes);
          }};
}

}  // namespace

UnnamedArray::UnnamedArray(const std::string& directory, const ArrayType& type)
    : type_(type),
      file_(file_of(directory, NpyWriter::total_bytes(type))),
      writer_(writable(file_), type) {}

void UnnamedArray::commit(store::Durability) {
  ReadableBytes bytes = readable_bytes(file_);
  bytes.check_unchanged = nullptr;  // nobody else has it
  source_ =
      open_npy_array(std::move(bytes), type_.dtype, [this] { return type_.dtype == DType::bf16; });
}

void UnnamedArray::read(const TileView& into) const {
  TESSERA_CHECK(source_ != nullptr, "a tensor is read before it is complete");
  source_->read(into);
}

}  // namespace tessera::io
