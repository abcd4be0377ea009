// NumPy's .npz: a ZIP archive of .npy arrays, the member NAME.npy for the array NAME.
//
// Uncompressed members (numpy.savez) are read in parts in place; compressed ones
// (numpy.savez_compressed) have no places, so they are unpacked to a file without a name first.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/ranges.h>
#include <zip.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/temporary_file.h"
#include "io/file.h"
#include "io/format.h"
#include "io/npy_array.h"
#include "io/zip_rewrite.h"

namespace tessera::io::format_npz {

namespace {

constexpr int64_t kChunkBytes = int64_t{256} * 1024;
const std::string kArrayExtension = ".npy";

struct MemberClose {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using OpenMember = std::unique_ptr<zip_file_t, MemberClose>;

/// Returns the arrays of an archive, without their extension.
std::vector<std::string> arrays_of(zip_t* archive) {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t entry = 0; entry < count; ++entry) {
    const std::string name = zip_get_name(archive, static_cast<zip_uint64_t>(entry), 0);
    if (name.ends_with(kArrayExtension)) {
      names.push_back(name.substr(0, name.size() - kArrayExtension.size()));
    }
  }
  return names;
}

/// Returns the selected array: the named one, that of the tensor's own name, or the only one.
std::string member_of(const Place& place, const std::vector<std::string>& arrays) {
  const auto has = [&](const std::string& name) {
    return std::find(arrays.begin(), arrays.end(), name) != arrays.end();
  };
  std::string wanted = place.member.empty() ? place.name : place.member;
  if (place.member.ends_with(kArrayExtension)) {
    wanted.resize(wanted.size() - kArrayExtension.size());
  }
  if (has(wanted)) {
    return wanted;
  }
  if (place.member.empty() && arrays.size() == 1) {
    return arrays.front();
  }
  const std::string hint = did_you_mean(wanted, arrays);
  throw_error(ErrorKind::user, "{} has no array {}; it has {}, named as {}:NAME{}", place.path,
              wanted, arrays.empty() ? "none" : fmt::format("{}", fmt::join(arrays, ", ")),
              place.path, hint.empty() ? "" : "; " + hint);
}

/// A stored member: one position and one reader at a time.
class StoredMember {
 public:
  StoredMember(Archive archive, OpenMember member, std::string name)
      : archive_(std::move(archive)), member_(std::move(member)), name_(std::move(name)) {}

  /// Reads at a place. The first call reads the whole member, so that damage is found before its
  /// elements are used: an archive has one checksum for all of it.
  void read(int64_t offset, std::byte* into, int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_checked_) {
      check();
      is_checked_ = true;
    }
    if (zip_fseek(member_.get(), offset, SEEK_SET) != 0) {
      fail();
    }
    while (bytes > 0) {
      const zip_int64_t count = zip_fread(member_.get(), into, static_cast<zip_uint64_t>(bytes));
      if (count <= 0) {
        fail();
      }
      into += count;
      bytes -= count;
    }
  }

 private:
  /// Reads a member from its beginning to its end, because the library then compares the checksum.
  void check() {
    std::vector<std::byte> chunk(static_cast<size_t>(kChunkBytes));
    zip_int64_t count = 0;
    do {
      count = zip_fread(member_.get(), chunk.data(), chunk.size());
    } while (count > 0);
    if (count < 0) {
      fail();
    }
  }

  [[noreturn]] void fail() {
    throw_error(ErrorKind::resource, "cannot read {}: {}; write it anew", name_,
                zip_file_strerror(member_.get()));
  }

  std::mutex mutex_;
  bool is_checked_ = false;
  Archive archive_;
  OpenMember member_;  // after the archive: closed before it
  std::string name_;
};

std::shared_ptr<const File> unpacked(zip_file_t* member, const std::string& name) {
  auto file = std::make_shared<const File>(open_unnamed(temporary_directory()));
  std::vector<std::byte> chunk(static_cast<size_t>(kChunkBytes));
  int64_t offset = 0;
  while (true) {
    const zip_int64_t count = zip_fread(member, chunk.data(), chunk.size());
    if (count < 0) {
      throw_error(ErrorKind::resource, "cannot unpack {}: {}", name, zip_file_strerror(member));
    }
    if (count == 0) {
      return file;
    }
    file->write_exactly(offset, chunk.data(), count);
    offset += count;
  }
}

std::unique_ptr<store::TileSource> open_npz(const Place& place, std::optional<DType> declared) {
  const auto file = std::make_shared<const File>(open_to_read(place.path));
  const FileStamp stamp = file->stamp();
  Archive archive = open_archive(*file);
  const std::string array = member_of(place, arrays_of(archive.get()));
  const std::string name = place.path + ":" + array;
  zip_stat_t status;
  zip_stat_init(&status);
  const std::string entry = array + kArrayExtension;
  OpenMember member;
  if (zip_stat(archive.get(), entry.c_str(), 0, &status) == 0) {
    member.reset(zip_fopen_index(archive.get(), status.index, 0));
  }
  if (member == nullptr) {
    throw_error(ErrorKind::resource, "cannot read {}: {}", name, zip_strerror(archive.get()));
  }
  ReadableBytes bytes{name, static_cast<int64_t>(status.size), {}, {}, stamp_text(stamp)};
  if (status.comp_method == ZIP_CM_STORE) {
    auto stored = std::make_shared<StoredMember>(std::move(archive), std::move(member), name);
    bytes.read = [stored](int64_t offset, std::byte* into, int64_t count) {
      stored->read(offset, into, count);
    };
    bytes.check_unchanged = [file, stamp] { file->check_unchanged(stamp); };
  } else {
    bytes.read = [copy = unpacked(member.get(), name)](int64_t offset, std::byte* into,
                                                       int64_t count) {
      copy->read_exactly(offset, into, count);
    };
    file->check_unchanged(stamp);  // it is read no more
  }
  return open_npy_array(std::move(bytes), declared, [] { return false; });
}

std::string directory_of(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory.string();
}

/// A sink that writes an array to a file without a name; commit() puts it into the archive.
class NpzSink : public store::TileSink {
 public:
  NpzSink(const Place& place, const ArrayType& type)
      : path_(place.path),
        entry_((place.member.empty() ? place.name : place.member) + kArrayExtension),
        bytes_(NpyWriter::total_bytes(type)),
        file_(open_unnamed(directory_of(place.path))),
        writer_({path_,
                 [this](int64_t offset, std::byte* into, int64_t bytes) {
                   file_.read_exactly(offset, into, bytes);
                 },
                 [this](int64_t offset, const std::byte* from, int64_t bytes) {
                   file_.write_exactly(offset, from, bytes);
                 }},
                type) {
    file_.resize(bytes_);
  }

  void write(const TileView& from) override { writer_.write(from); }

  void commit(store::Durability durability) override {
    ZipRewrite archive(path_);
    archive.store(entry_, file_, bytes_);
    archive.commit(durability);
  }

 private:
  std::string path_;
  std::string entry_;
  int64_t bytes_;
  File file_;
  NpyWriter writer_;
};

void check_writable(const Place& place, const ArrayType& type) {
  if (type.dtype == DType::bf16) {
    throw_error(ErrorKind::unsupported,
                "{}: an .npz has no place to say that elements are bf16; write an .npy file",
                place.path);
  }
  std::error_code ignored;
  TESSERA_USER_CHECK(std::filesystem::is_directory(directory_of(place.path), ignored),
                     "cannot write {}: there is no directory {}; create it first (mkdir -p {})",
                     place.path, directory_of(place.path), directory_of(place.path));
  if (std::filesystem::exists(place.path, ignored)) {
    open_archive(open_to_read(place.path));  // an error now rather than after the work
  }
}

std::unique_ptr<store::TileSink> create_npz(const Place& place, const ArrayType& type) {
  check_writable(place, type);
  return std::make_unique<NpzSink>(place, type);
}

}  // namespace

void register_format(FormatRegistry& registry) {
  registry.add({.name = "npz",
                .extensions = {".npz"},
                .summary = "NumPy's archive of arrays: FILE.npz:NAME, read and written in parts",
                .open = &open_npz,
                .create = &create_npz,
                .has_members = true});
}

}  // namespace tessera::io::format_npz
