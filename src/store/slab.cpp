#include "store/slab.h"

#include <algorithm>

#include <sys/mman.h>

#include "store/page_pool.h"

namespace tessera::store {

Slab::Slab(std::byte* pages, int64_t pages_bytes, int64_t block_bytes)
    : pages_(pages),
      pages_bytes_(pages_bytes),
      block_bytes_(block_bytes),
      num_blocks_(pages_bytes / block_bytes),
      used_(static_cast<size_t>(num_blocks_), false) {}

std::byte* Slab::take() {
  int64_t block = num_touched_;
  if (free_.empty()) {
    ++num_touched_;
  } else {
    block = free_.back();
    free_.pop_back();
    num_idle_ = std::max<int64_t>(0, num_idle_ - 1);
  }
  used_[static_cast<size_t>(block)] = true;
  ++num_used_;
  return pages_ + block * block_bytes_;
}

bool Slab::put(const std::byte* block) {
  const int64_t number = block_at(block);
  if (number < 0 || !used_[static_cast<size_t>(number)]) {
    return false;
  }
  free_.push_back(static_cast<int32_t>(number));
  ++num_idle_;
  used_[static_cast<size_t>(number)] = false;
  --num_used_;
  return true;
}

int64_t Slab::block_at(const std::byte* block) const {
  const int64_t offset = block - pages_;
  const bool begins_one =
      offset >= 0 && offset < num_blocks_ * block_bytes_ && offset % block_bytes_ == 0;
  return begins_one ? offset / block_bytes_ : -1;
}

void Slab::return_free_pages() {
  num_idle_ = 0;
  for (int64_t begin = 0; begin < num_touched_;) {
    int64_t end = begin;
    while (end < num_touched_ && !used_[static_cast<size_t>(end)]) {
      ++end;
    }
    // Only whole pages: the first and the last may hold part of a block in use.
    const int64_t first_byte = whole_pages(begin * block_bytes_);
    const int64_t last_byte = end * block_bytes_ / whole_pages(1) * whole_pages(1);
    if (first_byte < last_byte) {
      ::madvise(pages_ + first_byte, static_cast<size_t>(last_byte - first_byte), MADV_DONTNEED);
    }
    begin = end + 1;
  }
}

}  // namespace tessera::store
