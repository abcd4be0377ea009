#include "io/runs.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace tessera::io {

namespace {

constexpr int64_t kWindowBytes = int64_t{2} << 20;
/// With fewer in it, a window takes longer than to read them (measured: 40 us for a window of 2
/// MiB, 0.7 us for a call).
constexpr size_t kLeastInWindow = 64;

/// How many of the first runs lie in one window, which begins at the page of the first.
size_t num_in_window(std::span<const Run> runs, int64_t begin) {
  size_t count = 0;
  while (count < runs.size() && runs[count].offset >= begin &&
         runs[count].offset + runs[count].bytes <= begin + kWindowBytes) {
    ++count;
  }
  return count;
}

/// A part of a file in memory. All of its pages are there before it is looked at, so that a file
/// that is shorter, or cannot be read, is a failure to map and no signal.
class Window {
 public:
  Window(const File& file, int64_t begin, int64_t bytes)
      : begin_(begin), bytes_(static_cast<size_t>(bytes)) {
    void* const mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file.descriptor(), begin);
    if (mapped == MAP_FAILED) {
      return;
    }
    data_ = static_cast<const std::byte*>(mapped);
    is_there_ = ::madvise(mapped, bytes_, MADV_POPULATE_READ) == 0;
  }
  ~Window() {
    if (data_ != nullptr) {
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the system's interface
      ::munmap(const_cast<std::byte*>(data_), bytes_);
    }
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool is_there() const { return is_there_; }
  void copy(const Run& run) const {
    std::memcpy(run.into, data_ + (run.offset - begin_), static_cast<size_t>(run.bytes));
  }

 private:
  int64_t begin_;
  size_t bytes_;
  const std::byte* data_ = nullptr;
  bool is_there_ = false;
};

bool copy_from_window(const File& file, int64_t begin, std::span<const Run> runs) {
  int64_t end = begin;
  for (const Run& run : runs) {
    end = std::max(end, run.offset + run.bytes);
  }
  const Window window(file, begin, end - begin);
  if (!window.is_there()) {
    return false;
  }
  for (const Run& run : runs) {
    window.copy(run);
  }
  return true;
}

}  // namespace

void read_runs(const File& file, std::span<const Run> runs) {
  const int64_t page = ::sysconf(_SC_PAGESIZE);
  while (!runs.empty()) {
    const int64_t begin = runs.front().offset / page * page;
    const size_t count = std::max<size_t>(1, num_in_window(runs, begin));
    const std::span<const Run> next = runs.first(count);
    if (count < kLeastInWindow || !copy_from_window(file, begin, next)) {
      for (const Run& run : next) {
        file.read_exactly(run.offset, run.into, run.bytes);
      }
    }
    runs = runs.subspan(count);
  }
}

}  // namespace tessera::io
