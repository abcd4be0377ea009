#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::store {

/// A row of pages cut into blocks of one size, for tiles that are small beside a page or a few.
///
/// The records of its blocks stand outside of them, so that a task that writes past its tile cannot
/// break the store. Owns no pages. Threads: one at a time.
class Slab {
 public:
  Slab(std::byte* pages, int64_t pages_bytes, int64_t block_bytes);

  std::byte* pages() const { return pages_; }
  int64_t pages_bytes() const { return pages_bytes_; }
  int64_t block_bytes() const { return block_bytes_; }
  bool full() const { return num_used_ == num_blocks_; }
  bool empty() const { return num_used_ == 0; }

  /// Returns a free block; one that was used before if there is one. REQUIRES !full().
  std::byte* take();

  /// Takes a block back. Returns false if `block` is not in use.
  [[nodiscard]] bool put(const std::byte* block);

  /// Returns the bytes of free blocks that were used since return_free_pages(), and so are backed
  /// by memory.
  int64_t idle_bytes() const { return num_idle_ * block_bytes_; }

  /// Returns to the system the pages that hold free blocks only.
  void return_free_pages();

 private:
  int64_t block_at(const std::byte* block) const;  // -1 if none begins there

  std::byte* pages_;
  int64_t pages_bytes_;
  int64_t block_bytes_;
  int64_t num_blocks_;
  int64_t num_used_ = 0;
  int64_t num_idle_ = 0;       // the last ones of free_ are idle
  int64_t num_touched_ = 0;    // blocks from here on were never used
  std::vector<int32_t> free_;  // of the touched ones, last in first out
  std::vector<bool> used_;     // by block
};

}  // namespace tessera::store
