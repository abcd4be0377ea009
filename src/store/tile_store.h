#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "store/page_pool.h"
#include "store/slab.h"

namespace tessera::store {

/// The bytes of a memory space, in the store's own count: see TileStore.
struct Usage {
  int64_t in_use = 0;
  int64_t peak = 0;  // the largest in_use so far
  int64_t budget = 0;
};

/// The only owner of the tile bytes of one memory space (a process's RAM) and of its budget.
///
/// A tile is charged its bytes rounded up to kAlignment, and kAlignment if it has none: a plan can
/// count that itself. The resident set follows use. It may exceed in_use by the rounding of large
/// tiles to pages, by a huge page that large tiles fill in part, by pages that small tiles fill in
/// part, by kMostKeptBytes of released pages (within the budget) and by kMostIdleBytes of released
/// blocks; these spare page faults.
///
/// Threads: any number at once.
class TileStore {
 public:
  static constexpr int64_t kAlignment = kMemoryUnit;
  static constexpr int64_t kMostKeptBytes = int64_t{256} << 20;
  static constexpr int64_t kMostIdleBytes = int64_t{16} << 20;

  /// A store that hands out at most `budget_bytes`. For tests of failures, the allocation of number
  /// `failing_allocation` (from 1) fails as if the budget were used up.
  explicit TileStore(int64_t budget_bytes, std::optional<int64_t> failing_allocation = {});

  /// A store over the pages of a pool, which outlives it and keeps released pages for the next
  /// store. REQUIRES that no two stores use a pool at once.
  TileStore(int64_t budget_bytes, PagePool& pool);

  /// Frees everything still in use.
  ~TileStore();
  TileStore(const TileStore&) = delete;
  TileStore& operator=(const TileStore&) = delete;

  /// Returns `bytes` bytes of any content, aligned to kAlignment; never null. Errors: `resource` if
  /// the budget or the system's memory does not hold them, with the bytes that were asked for, are
  /// in use and may be used.
  [[nodiscard]] std::byte* allocate(int64_t bytes);

  /// Takes back a result of allocate(). Errors: `internal` if `tile` is not in use.
  void release(std::byte* tile);

  Usage usage() const;

 private:
  TileStore(int64_t budget_bytes, PagePool* pool, std::optional<int64_t> failing_allocation);

  void check_budget(int64_t bytes) const;
  void check_not_chosen_to_fail(int64_t bytes);
  std::byte* take_block(int64_t block_bytes);
  std::byte* take_pages(int64_t bytes);
  Slab& slab_with_room(int64_t block_bytes);
  Slab* slab_of(const std::byte* block);
  void put_block(Slab& slab, const std::byte* block);
  void drop(Slab& slab);
  void return_idle_pages();

  mutable std::mutex mutex_;
  std::optional<PagePool> own_pool_;
  PagePool& pool_;
  std::map<const std::byte*, Slab> slabs_;         // by first byte
  std::vector<std::vector<Slab*>> with_room_;      // slabs that are not full, by block size
  std::unordered_map<std::byte*, int64_t> large_;  // charged bytes of tiles with pages of their own
  Usage usage_;
  int64_t idle_bytes_ = 0;              // over all slabs
  int64_t allocations_to_failure_ = 0;  // 0 if none is to fail
};

}  // namespace tessera::store
