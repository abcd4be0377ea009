#include "kernels/generated/code_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"

namespace tessera::kernels::generated {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tsracode";
constexpr size_t kDigestBytes = 32;

struct Header {
  std::array<char, kMagic.size()> magic{};
  uint64_t entry = 0;
  uint64_t size = 0;
  std::array<char, kDigestBytes> digest{};
};
static_assert(sizeof(Header) == 56);

Header header_of(const std::string& name, std::span<const std::byte> image, uint64_t entry) {
  Header header;
  std::copy(kMagic.begin(), kMagic.end(), header.magic.begin());
  header.entry = entry;
  header.size = image.size();
  Digest digest;
  digest.add(name);
  digest.add(static_cast<int64_t>(entry));
  digest.add(std::string_view(reinterpret_cast<const char*>(image.data()), image.size()));
  const std::string text = digest.text();
  std::copy_n(text.begin(), std::min(text.size(), kDigestBytes), header.digest.begin());
  return header;
}

/// An open file, closed with the object; -1 if it could not be opened.
class File {
 public:
  File(const std::string& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)) {}
  ~File() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return number_ >= 0; }

  /// Returns its size, if only this user may write the file.
  std::optional<size_t> private_size() const {
    struct stat about {};
    const bool is_private = ::fstat(number_, &about) == 0 && S_ISREG(about.st_mode) &&
                            about.st_uid == ::geteuid() &&
                            (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    return is_private ? std::optional(static_cast<size_t>(about.st_size)) : std::nullopt;
  }

  bool read(void* to, size_t size) const {
    return ::read(number_, to, size) == static_cast<ssize_t>(size);
  }
  bool write(const void* from, size_t size) const {
    return ::write(number_, from, size) == static_cast<ssize_t>(size);
  }

 private:
  int number_;
};

/// Returns the name of an unfinished file, which no other process or thread uses.
std::string unfinished(const std::string& path) {
  return path + "." + std::to_string(::getpid()) + "." + std::to_string(::gettid());
}

}  // namespace

bool CodeFiles::is_private() const {
  struct stat about {};
  return ::stat(directory_.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
         about.st_uid == ::geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool CodeFiles::has(const std::string& name) const {
  return is_private() && ::access(path_of(name).c_str(), R_OK) == 0;
}

std::optional<Image> CodeFiles::read(const std::string& name) const {
  const File file(path_of(name), O_RDONLY);
  if (!file.is_open() || !is_private()) {
    return std::nullopt;
  }
  const std::optional<size_t> size = file.private_size();
  Header header;
  if (!size || *size < sizeof header || *size > kMostBytes || !file.read(&header, sizeof header)) {
    return std::nullopt;
  }
  Image image;
  image.bytes.resize(*size - sizeof header);
  image.entry = header.entry;
  if (!file.read(image.bytes.data(), image.bytes.size())) {
    return std::nullopt;
  }
  const Header expected = header_of(name, image.bytes, header.entry);
  return std::memcmp(&header, &expected, sizeof header) == 0 ? std::optional(std::move(image))
                                                             : std::nullopt;
}

void CodeFiles::write(const std::string& name, const Image& image) const {
  std::error_code error;
  if (!fs::exists(directory_, error)) {
    fs::create_directories(fs::path(directory_).parent_path(), error);
    ::mkdir(directory_.c_str(), S_IRWXU);
  }
  if (!is_private()) {
    return;
  }
  make_room(static_cast<int64_t>(sizeof(Header) + image.bytes.size()));
  const std::string path = path_of(name);
  const std::string first = unfinished(path);
  const Header header = header_of(name, image.bytes, image.entry);
  bool is_whole = false;
  {
    const File file(first, O_WRONLY | O_CREAT | O_TRUNC);
    is_whole = file.is_open() && file.write(&header, sizeof header) &&
               file.write(image.bytes.data(), image.bytes.size());
  }
  if (is_whole) {
    fs::rename(first, path, error);
  }
  if (!is_whole || error) {
    fs::remove(first, error);
  }
}

std::optional<double> CodeFiles::seconds(const std::string& name) const {
  const std::optional<Image> image = read(name);
  if (!image || image->bytes.size() != sizeof(double)) {
    return std::nullopt;
  }
  double seconds = 0;
  std::memcpy(&seconds, image->bytes.data(), sizeof seconds);
  return seconds;
}

void CodeFiles::write_seconds(const std::string& name, double seconds) const {
  Image image;
  image.bytes.resize(sizeof seconds);
  std::memcpy(image.bytes.data(), &seconds, sizeof seconds);
  write(name, image);
}

/// Removes the oldest files until there is room; a file takes a page at least.
void CodeFiles::make_room(int64_t bytes) const {
  constexpr int64_t kPage = 4096;
  struct KeptFile {
    fs::file_time_type written;
    int64_t bytes = 0;
    fs::path path;
  };
  std::vector<KeptFile> all;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
    std::error_code gone;
    const auto size = std::max(kPage, static_cast<int64_t>(entry.file_size(gone)));
    if (!gone) {
      all.push_back({entry.last_write_time(gone), size, entry.path()});
      bytes += size;
    }
  }
  std::sort(all.begin(), all.end(),
            [](const KeptFile& a, const KeptFile& b) { return a.written < b.written; });
  for (const KeptFile& kept : all) {
    if (bytes <= kMostBytes) {
      return;
    }
    fs::remove(kept.path, error);
    bytes -= kept.bytes;
  }
}

}  // namespace tessera::kernels::generated
