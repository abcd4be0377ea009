#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::store {

/// The way that pages are filled after they are taken: at once, or part by part as blocks are used.
enum class Filling : uint8_t { at_once, in_parts };

/// A pool of whole pages from the operating system. A few that were returned last are kept for the
/// next request of the same size, because fresh pages cost a page fault and a zeroing each. Pages
/// that are filled at once are cut one after the other from regions of huge pages, so that 2 MiB of
/// them cost one page fault; at most one such page is resident beyond the taken ones.
///
/// Threads: one at a time; TileStore holds its lock.
class PagePool {
 public:
  /// Keeps at most `most_kept_bytes` of returned pages.
  explicit PagePool(int64_t most_kept_bytes) : most_kept_bytes_(most_kept_bytes) {}
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// Returns at least `bytes` bytes, page-aligned, of any content; null if the system has none
  /// left.
  std::byte* take(int64_t bytes, Filling filling);

  /// Takes back the result of take(bytes, filling).
  void put(std::byte* pages, int64_t bytes);

  /// Returns kept pages to the system, oldest first, until at most `bytes` are kept.
  void trim(int64_t bytes);

  int64_t kept_bytes() const { return kept_bytes_; }

 private:
  struct Kept {
    std::byte* pages;
    int64_t bytes;
  };

  std::byte* cut_from_region(int64_t size);
  void end_region();

  int64_t most_kept_bytes_;
  int64_t kept_bytes_ = 0;
  std::vector<Kept> kept_;       // oldest first
  std::byte* region_ = nullptr;  // the rest of it
  int64_t region_bytes_ = 0;
};

/// Rounds `bytes` up to whole pages.
int64_t whole_pages(int64_t bytes);

}  // namespace tessera::store
