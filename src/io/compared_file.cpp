#include "io/compared_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "io/mapped_part.h"

namespace tessera::io {

namespace {

/// The most bytes that are copied out of their blocks: they are read in one call.
constexpr int64_t kShortBytes = int64_t{16} << 10;
constexpr int64_t kBitsOfWord = 64;
/// Runs ahead whose blocks are prefetched into the caches: a quarter less time (measured).
constexpr size_t kFetchedAhead = 2;
constexpr int64_t kLineBytes = 64;

/// Prefetches the blocks of a run; the file is mapped from `begin` on. Missing pages are not
/// fetched.
void fetch_blocks(const std::byte* mapped, int64_t begin, const Run& run, int64_t block_bytes) {
  const int64_t first = run.offset / block_bytes * block_bytes;
  for (int64_t line = first; line < run.offset + run.bytes; line += kLineBytes) {
    __builtin_prefetch(mapped + (line - begin));
  }
}

}  // namespace

ComparedFile::ComparedFile(std::shared_ptr<const File> file, const BlockSums& sums)
    : file_(std::move(file)),
      sums_(sums),
      right_(static_cast<size_t>((sums.num_blocks() + kBitsOfWord - 1) / kBitsOfWord)) {}

bool ComparedFile::was_right(int64_t block) const {
  const uint64_t bit = uint64_t{1} << (block % kBitsOfWord);
  const auto word = static_cast<size_t>(block / kBitsOfWord);
  return (right_[word].load(std::memory_order_relaxed) & bit) != 0;
}

void ComparedFile::note_right(int64_t block) {
  const uint64_t bit = uint64_t{1} << (block % kBitsOfWord);
  right_[static_cast<size_t>(block / kBitsOfWord)].fetch_or(bit, std::memory_order_relaxed);
}

void ComparedFile::throw_damaged() const {
  throw_error(ErrorKind::resource, "{} is damaged: {}", file_->path(), kOtherSums);
}

/// Compares blocks [first, end), given their bytes.
void ComparedFile::compare(int64_t first, int64_t end, const std::byte* bytes) {
  while (first < end && was_right(first)) {
    bytes += sums_.end_of(first) - first * sums_.block_bytes;
    ++first;
  }
  if (first == end) {
    return;
  }
  const std::vector<uint32_t> stored = stored_sums(*file_, sums_, first, end - first);
  for (const uint32_t sum : stored) {
    const int64_t length = sums_.end_of(first) - first * sums_.block_bytes;
    if (!was_right(first)) {
      if (checksum_of({bytes, static_cast<size_t>(length)}) != sum) {
        throw_damaged();
      }
      note_right(first);
    }
    bytes += length;
    ++first;
  }
}

void ComparedFile::compare_alone(int64_t block) {
  if (!was_right(block)) {
    const int64_t begin = block * sums_.block_bytes;
    std::vector<std::byte> bytes(static_cast<size_t>(sums_.end_of(block) - begin));
    file_->read_exactly(begin, bytes.data(), static_cast<int64_t>(bytes.size()));
    compare(block, block + 1, bytes.data());
  }
}

void ComparedFile::read_through_blocks(int64_t offset, std::byte* into, int64_t bytes) {
  const int64_t first = offset / sums_.block_bytes;
  const int64_t last = (offset + bytes - 1) / sums_.block_bytes;
  const int64_t begin = first * sums_.block_bytes;
  std::vector<std::byte> blocks(static_cast<size_t>(sums_.end_of(last) - begin));
  file_->read_exactly(begin, blocks.data(), static_cast<int64_t>(blocks.size()));
  compare(first, last + 1, blocks.data());
  std::memcpy(into, blocks.data() + (offset - begin), static_cast<size_t>(bytes));
}

void ComparedFile::read(int64_t offset, std::byte* into, int64_t bytes) {
  if (bytes == 0) {
    return;
  }
  if (bytes + 2 * sums_.block_bytes <= kShortBytes) {
    read_through_blocks(offset, into, bytes);
    return;
  }
  file_->read_exactly(offset, into, bytes);
  const int64_t end = offset + bytes;
  const int64_t first = (offset + sums_.block_bytes - 1) / sums_.block_bytes;
  const int64_t last = end == sums_.bytes ? sums_.num_blocks() : end / sums_.block_bytes;
  if (first * sums_.block_bytes > offset) {
    compare_alone(first - 1);
  }
  if (first < last) {
    compare(first, last, into + (first * sums_.block_bytes - offset));
  }
  if (last >= first && last < sums_.num_blocks() && last * sums_.block_bytes < end) {
    compare_alone(last);
  }
}

/// The state of copying out of a window while it is mapped.
struct ComparedFile::WindowCopy {
  ComparedFile* file;
  int64_t begin;
  std::span<const Run> runs;
  std::vector<uint32_t> stored;  // the checksums of the window's blocks
  bool is_right = true;          // true so far
};

/// Copies and compares; a jump may end it (mapped_part.h).
void ComparedFile::copy_compared(const std::byte* mapped, void* state) {
  auto& copy = *static_cast<WindowCopy*>(state);
  ComparedFile& file = *copy.file;
  const int64_t block_bytes = file.sums_.block_bytes;
  const int64_t first = copy.begin / block_bytes;
  for (size_t number = 0; number < copy.runs.size(); ++number) {
    const Run& run = copy.runs[number];
    if (number + kFetchedAhead < copy.runs.size()) {
      const Run& later = copy.runs[number + kFetchedAhead];
      fetch_blocks(mapped, copy.begin, later, block_bytes);
    }
    const int64_t last = (run.offset + run.bytes - 1) / block_bytes;
    for (int64_t block = run.offset / block_bytes; block <= last; ++block) {
      if (file.was_right(block)) {
        continue;
      }
      const int64_t begin = block * block_bytes;
      const auto length = static_cast<size_t>(file.sums_.end_of(block) - begin);
      if (checksum_of({mapped + (begin - copy.begin), length}) !=
          copy.stored[static_cast<size_t>(block - first)]) {
        copy.is_right = false;
        return;
      }
      file.note_right(block);
    }
    std::memcpy(run.into, mapped + (run.offset - copy.begin), static_cast<size_t>(run.bytes));
  }
}

bool ComparedFile::copy_window(const Window& window, std::span<const Run> runs) {
  const int64_t first = window.begin / sums_.block_bytes;
  const int64_t last = (window.end - 1) / sums_.block_bytes;
  if (!window.is_dense || window.begin % sums_.block_bytes != 0) {
    return false;
  }
  WindowCopy copy{this, window.begin, runs, stored_sums(*file_, sums_, first, last + 1 - first)};
  if (!look_at_mapped(*file_, window.begin, sums_.end_of(last), &copy_compared, &copy)) {
    return false;
  }
  if (!copy.is_right) {
    throw_damaged();
  }
  return true;
}

void ComparedFile::read_runs(std::span<const Run> runs) {
  while (!runs.empty()) {
    const Window window = first_window(runs);
    const std::span<const Run> next = runs.first(window.num_runs);
    if (!copy_window(window, next)) {
      for (const Run& run : next) {
        read(run.offset, run.into, run.bytes);
      }
    }
    runs = runs.subspan(window.num_runs);
  }
}

}  // namespace tessera::io
