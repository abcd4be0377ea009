#include "store/tile_store.h"

#include <algorithm>

#include "base/byte_size.h"
#include "base/error.h"

namespace tessera::store {

namespace {

// Tiles up to this size share the pages of a slab. Above, the rounding to pages costs at most 1.6
// %, and few enough tiles fit in memory for each to be a mapping of the system (65,530 by default).
constexpr int64_t kLargestBlock = int64_t{256} * 1024;
constexpr int64_t kSmallestSlab = int64_t{64} * 1024;
constexpr int64_t kBlocksPerSlab = 8;  // at least; small blocks are more, up to kSmallestSlab

size_t size_class(int64_t block_bytes) {
  return static_cast<size_t>(block_bytes / TileStore::kAlignment);
}

[[noreturn]] void throw_no_memory(int64_t bytes) {
  throw_error(
      ErrorKind::resource,
      "the system has no {} of memory left for a tile, though the budget has; set a smaller "
      "memory budget",
      byte_size_text(bytes));
}

}  // namespace

TileStore::TileStore(int64_t budget_bytes, std::optional<int64_t> failing_allocation)
    : TileStore(budget_bytes, nullptr, failing_allocation) {}

TileStore::TileStore(int64_t budget_bytes, PagePool& pool)
    : TileStore(budget_bytes, &pool, std::nullopt) {}

TileStore::TileStore(int64_t budget_bytes, PagePool* pool,
                     std::optional<int64_t> failing_allocation)
    : pool_(pool == nullptr ? own_pool_.emplace(kMostKeptBytes) : *pool),
      with_room_(size_class(kLargestBlock) + 1),
      usage_{0, 0, budget_bytes},
      allocations_to_failure_(failing_allocation.value_or(0)) {
  TESSERA_CHECK(budget_bytes >= 0, "a memory budget of {} bytes", budget_bytes);
  pool_.trim(budget_bytes);
}

TileStore::~TileStore() {
  for (const auto& [pages, bytes] : large_) {
    pool_.put(pages, bytes);
  }
  for (const auto& [begin, slab] : slabs_) {
    pool_.put(slab.pages(), slab.pages_bytes());
  }
}

std::byte* TileStore::allocate(int64_t bytes) {
  TESSERA_CHECK(bytes >= 0, "a tile of {} bytes", bytes);
  const std::lock_guard lock(mutex_);
  check_not_chosen_to_fail(bytes);
  check_budget(bytes);
  const int64_t charged = charged_bytes(bytes);
  std::byte* const tile = charged <= kLargestBlock ? take_block(charged) : take_pages(charged);
  usage_.in_use += charged;
  // Last, so that kept pages of this size are used again; new ones are not touched before.
  pool_.trim(std::max<int64_t>(0, usage_.budget - usage_.in_use));
  usage_.peak = std::max(usage_.peak, usage_.in_use);
  return tile;
}

void TileStore::release(std::byte* tile) {
  const std::lock_guard lock(mutex_);
  if (const auto large = large_.find(tile); large != large_.end()) {
    usage_.in_use -= large->second;
    pool_.put(tile, large->second);
    large_.erase(large);
    return;
  }
  Slab* const slab = slab_of(tile);
  TESSERA_CHECK(slab != nullptr, "a tile at {} is released that is not in use",
                static_cast<const void*>(tile));
  put_block(*slab, tile);
}

Usage TileStore::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

void TileStore::check_not_chosen_to_fail(int64_t bytes) {
  if (allocations_to_failure_ > 0 && --allocations_to_failure_ == 0) {
    throw_error(ErrorKind::resource, "a tile of {} is not allocated: this one was chosen to fail",
                byte_size_text(bytes));
  }
}

void TileStore::check_budget(int64_t bytes) const {
  constexpr int64_t kAddressSpace = int64_t{1} << 47;  // of a process on a 64-bit machine
  const int64_t room = std::min(usage_.budget - usage_.in_use, kAddressSpace);
  if (bytes <= room && charged_bytes(bytes) <= room) {
    return;
  }
  throw_error(ErrorKind::resource,
              "the memory budget is used up: a tile of {} was asked for, {} of {} are in use ({} + "
              "{} of {} bytes); raise the budget or cut the tensors into more pieces",
              byte_size_text(bytes), byte_size_text(usage_.in_use), byte_size_text(usage_.budget),
              usage_.in_use, bytes, usage_.budget);
}

std::byte* TileStore::take_pages(int64_t bytes) {
  std::byte* const pages = pool_.take(bytes, Filling::at_once);
  if (pages == nullptr) {
    throw_no_memory(bytes);
  }
  large_.emplace(pages, bytes);
  return pages;
}

std::byte* TileStore::take_block(int64_t block_bytes) {
  Slab& slab = slab_with_room(block_bytes);
  idle_bytes_ -= slab.idle_bytes();
  std::byte* const block = slab.take();
  idle_bytes_ += slab.idle_bytes();
  if (slab.full()) {
    with_room_[size_class(block_bytes)].pop_back();
  }
  return block;
}

/// Returns a slab with room: the last of its class in with_room_.
Slab& TileStore::slab_with_room(int64_t block_bytes) {
  std::vector<Slab*>& candidates = with_room_[size_class(block_bytes)];
  if (candidates.empty()) {
    const int64_t bytes = whole_pages(std::max(kSmallestSlab, kBlocksPerSlab * block_bytes));
    std::byte* const pages = pool_.take(bytes, Filling::in_parts);
    if (pages == nullptr) {
      throw_no_memory(bytes);
    }
    candidates.push_back(&slabs_.try_emplace(pages, pages, bytes, block_bytes).first->second);
  }
  return *candidates.back();
}

/// Returns the slab whose pages hold this address.
Slab* TileStore::slab_of(const std::byte* block) {
  const auto after = slabs_.upper_bound(block);
  return after == slabs_.begin() ? nullptr : &std::prev(after)->second;
}

void TileStore::put_block(Slab& slab, const std::byte* block) {
  const bool was_full = slab.full();
  const int64_t idle_before = slab.idle_bytes();
  TESSERA_CHECK(slab.put(block), "a tile at {} is released that is not in use",
                static_cast<const void*>(block));
  idle_bytes_ += slab.idle_bytes() - idle_before;
  usage_.in_use -= slab.block_bytes();
  if (was_full) {
    with_room_[size_class(slab.block_bytes())].push_back(&slab);
  }
  if (slab.empty()) {
    drop(slab);
  } else if (idle_bytes_ > kMostIdleBytes) {
    return_idle_pages();
  }
}

void TileStore::drop(Slab& slab) {
  std::vector<Slab*>& candidates = with_room_[size_class(slab.block_bytes())];
  candidates.erase(std::find(candidates.begin(), candidates.end(), &slab));
  idle_bytes_ -= slab.idle_bytes();
  pool_.put(slab.pages(), slab.pages_bytes());
  slabs_.erase(slab.pages());
}

void TileStore::return_idle_pages() {
  for (auto& [begin, slab] : slabs_) {
    if (slab.idle_bytes() > 0) {
      slab.return_free_pages();
    }
  }
  idle_bytes_ = 0;
}

}  // namespace tessera::store
