#include "io/zip_rewrite.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <unistd.h>

namespace tessera::io {

namespace {

std::optional<File> opened_if_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? std::optional(open_to_read(path)) : std::nullopt;
}

}  // namespace

std::string zip_reason(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

Archive open_archive(const File& file) {
  int code = 0;
  const int descriptor = ::dup(file.descriptor());
  Archive archive(zip_fdopen(descriptor, 0, &code));
  if (archive == nullptr) {
    ::close(descriptor);  // taken over only by an open archive
  }
  TESSERA_USER_CHECK(archive != nullptr, "{} is no .npz archive: {}", file.path(),
                     zip_reason(code));
  return archive;
}

ZipRewrite::ZipRewrite(const std::string& path)
    : path_(path),
      before_(opened_if_there(path)),
      before_bytes_(before_ ? before_->size() : 0),
      after_(path, 0) {
  if (before_) {
    open_archive(*before_);  // reports its fault better
  }
  zip_error_init(&error_);
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(&ZipRewrite::call, this, &error);
  archive_.reset(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_CREATE, &error));
  if (archive_ == nullptr) {
    zip_source_free(source);
    fail(zip_error_strerror(&error));
  }
}

void ZipRewrite::store(const std::string& member, const File& from, int64_t bytes) {
  std::FILE* stream = ::fdopen(::dup(from.descriptor()), "rb");
  zip_source_t* source = zip_source_filep(archive_.get(), stream, 0, bytes);
  const zip_int64_t index = source == nullptr ? -1
                                              : zip_file_add(archive_.get(), member.c_str(), source,
                                                             ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    fail(zip_strerror(archive_.get()));
  }
  zip_set_file_compression(archive_.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
}

void ZipRewrite::commit(store::Durability durability) {
  if (zip_close(archive_.get()) != 0) {
    if (thrown_) {
      throw Error(*thrown_);
    }
    fail(zip_strerror(archive_.get()));
  }
  static_cast<void>(archive_.release());  // zip_close has freed it
  after_.commit(durability);
}

zip_int64_t ZipRewrite::call(void* self, void* data, zip_uint64_t length,
                             zip_source_cmd_t command) {
  auto& rewrite = *static_cast<ZipRewrite*>(self);
  try {  // an exception cannot pass through the library
    return rewrite.handle(data, length, command);
  } catch (const Error& error) {
    rewrite.thrown_ = error;
    zip_error_set(&rewrite.error_, command == ZIP_SOURCE_WRITE ? ZIP_ER_WRITE : ZIP_ER_READ, EIO);
    return -1;
  }
}

zip_int64_t ZipRewrite::handle(void* data, zip_uint64_t length, zip_source_cmd_t command) {
  const auto bytes = static_cast<int64_t>(length);
  switch (command) {
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_STAT:
      return state(*static_cast<zip_stat_t*>(data));
    case ZIP_SOURCE_OPEN:
      read_at_ = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return read(static_cast<std::byte*>(data), bytes);
    case ZIP_SOURCE_SEEK:
      return seek(read_at_, before_bytes_, data, length);
    case ZIP_SOURCE_TELL:
      return read_at_;
    case ZIP_SOURCE_BEGIN_WRITE:
      write_at_ = 0;
      return 0;
    case ZIP_SOURCE_WRITE:
      return write(static_cast<const std::byte*>(data), bytes);
    case ZIP_SOURCE_SEEK_WRITE:
      return seek(write_at_, after_bytes_, data, length);
    case ZIP_SOURCE_TELL_WRITE:
      return write_at_;
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&error_, data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_COMMIT_WRITE:  // commit() gives the name
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_FREE:
      return 0;
    default:
      zip_error_set(&error_, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

zip_int64_t ZipRewrite::state(zip_stat_t& status) {
  if (!before_) {
    zip_error_set(&error_, ZIP_ER_READ, ENOENT);
    return -1;
  }
  zip_stat_init(&status);
  status.valid = ZIP_STAT_SIZE;
  status.size = static_cast<zip_uint64_t>(before_bytes_);
  return sizeof(status);
}

zip_int64_t ZipRewrite::read(std::byte* into, int64_t bytes) {
  const int64_t taken = std::min(bytes, before_bytes_ - read_at_);
  before_->read_exactly(read_at_, into, taken);
  read_at_ += taken;
  return taken;
}

zip_int64_t ZipRewrite::write(const std::byte* from, int64_t bytes) {
  after_.write_at(write_at_, from, bytes);
  write_at_ += bytes;
  after_bytes_ = std::max(after_bytes_, write_at_);
  return bytes;
}

zip_int64_t ZipRewrite::seek(int64_t& position, int64_t size, void* data, zip_uint64_t length) {
  const zip_int64_t wanted = zip_source_seek_compute_offset(
      static_cast<zip_uint64_t>(position), static_cast<zip_uint64_t>(size), data, length, &error_);
  if (wanted < 0) {
    return -1;
  }
  position = wanted;
  return 0;
}

void ZipRewrite::fail(const std::string& reason) const {
  throw_error(ErrorKind::resource, "cannot write the archive {}: {}", path_, reason);
}

}  // namespace tessera::io
