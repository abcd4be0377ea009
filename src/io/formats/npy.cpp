// NumPy's .npy, one array per file (numpy/lib/format.py):
//
//   preamble and header (npy_header.h), padded | elements, row-major or column-major, no gaps
//
// A bf16 array is written as u16 beside a file NAME.npy.dtype that holds the word bf16
// (npy_dtype.h).

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/file.h"
#include "io/format.h"
#include "io/npy_array.h"

namespace tessera::io::format_npy {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBf16Mark = "bf16";

std::string mark_path(const std::string& path) {
  return path + ".dtype";
}

/// True if a file NAME.npy.dtype marks the elements as bf16. Errors: `user` if it says anything
/// else.
bool read_mark(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(mark_path(path), ignored)) {
    return false;
  }
  constexpr int64_t kLongestMark = 64;
  const File file = open_to_read(mark_path(path));
  std::string word(static_cast<size_t>(std::min(file.size(), kLongestMark)), '\0');
  file.read_exactly(0, reinterpret_cast<std::byte*>(word.data()),
                    static_cast<int64_t>(word.size()));
  word.erase(word.find_last_not_of(" \t\r\n") + 1);
  TESSERA_USER_CHECK(word == kBf16Mark,
                     "{} says that the elements of {} are '{}'; the only word it may hold is {}",
                     file.path(), path, word, kBf16Mark);
  return true;
}

bool is_marked(const std::string& path) {
  std::error_code error;
  if (read_mark(path)) {
    return true;
  }
  if (!fs::is_symlink(path, error)) {
    return false;
  }
  const fs::path target = fs::canonical(path, error);
  return !error && read_mark(target.string());
}

std::unique_ptr<store::TileSource> open_npy(const Place& place, std::optional<DType> declared) {
  const auto file = std::make_shared<const File>(open_to_read(place.path));
  return open_npy_array(readable_bytes(file), declared, [&] { return is_marked(place.path); });
}

WritableBytes own_bytes(AtomicFile& file) {
  return {file.path(),
          [&file](int64_t offset, std::byte* into, int64_t bytes) {
            file.read_at(offset, into, bytes);
          },
          [&file](int64_t offset, const std::byte* from, int64_t bytes) {
            file.write_at(offset, from, bytes);
          }};
}

class NpySink : public SharedSink {
 public:
  /// Opens the file; shared with other processes if it is to reach them.
  NpySink(const std::string& path, const ArrayType& type, std::optional<Reach> others)
      : file_(path, NpyWriter::total_bytes(type),
              others == Reach::network ? AtomicFile::Name::temporary : AtomicFile::Name::none),
        dtype_(type.dtype),
        writer_(others ? shared_bytes(file_.file()) : own_bytes(file_), type) {}

  std::string meeting_place() const override { return file_.meeting_place(); }

  void write(const TileView& from) override { writer_.write(from); }

  /// Order: the mark is written before a bf16 array appears and removed after another array has
  /// replaced one, so that a kill in between can mislead a reader only when u16 and bf16 replace
  /// each other: the mark is ignored for other elements.
  void commit(store::Durability durability) override {
    if (dtype_ == DType::bf16) {
      write_mark(durability);
      file_.commit(durability);
    } else {
      file_.commit(durability);
      remove_mark();
    }
  }

 private:
  void write_mark(store::Durability durability) const {
    const std::string text = std::string(kBf16Mark) + "\n";
    AtomicFile mark(mark_path(file_.path()), static_cast<int64_t>(text.size()));
    mark.write_at(0, reinterpret_cast<const std::byte*>(text.data()),
                  static_cast<int64_t>(text.size()));
    mark.commit(durability);
  }

  void remove_mark() const {
    std::error_code error;
    fs::remove(mark_path(file_.path()), error);
    if (error && error != std::errc::filename_too_long) {
      throw_error(ErrorKind::resource,
                  "cannot remove {}, which says bf16 of the array that was there before: {}",
                  mark_path(file_.path()), error.message());
    }
  }

  AtomicFile file_;
  DType dtype_;
  NpyWriter writer_;
};

std::unique_ptr<store::TileSink> create_npy(const Place& place, const ArrayType& type) {
  return std::make_unique<NpySink>(place.path, type, std::nullopt);
}

std::unique_ptr<SharedSink> share_npy(const Place& place, const ArrayType& type, Reach reach) {
  return std::make_unique<NpySink>(place.path, type, reach);
}

}  // namespace

void register_format(FormatRegistry& registry) {
  registry.add({.name = "npy",
                .extensions = {".npy"},
                .summary = "NumPy's array file, read and written in parts",
                .open = &open_npy,
                .create = &create_npy,
                .share = &share_npy});
}

}  // namespace tessera::io::format_npy
