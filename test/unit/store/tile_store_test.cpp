#include "store/tile_store.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"

namespace tessera::store::tile_store_test {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMebibyte = int64_t{1} << 20;

int64_t resident_bytes() {
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * ::sysconf(_SC_PAGESIZE);
}

std::byte* allocate_filled(TileStore& store, int64_t bytes, int value = 1) {
  std::byte* const tile = store.allocate(bytes);
  std::memset(tile, value, static_cast<size_t>(bytes));
  return tile;
}

Error error_of_allocating(TileStore& store, int64_t bytes) {
  try {
    store.release(store.allocate(bytes));
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::internal, "it was allocated"};
}

TEST(TileStore, CountsWhatIsInUseAndTheMostThatWas) {
  TileStore store(1000);
  std::byte* const first = store.allocate(128);
  std::byte* const second = store.allocate(100);  // charged 128
  EXPECT_EQ(store.usage().in_use, 256);
  store.release(first);
  EXPECT_EQ(store.usage().in_use, 128);
  EXPECT_EQ(store.usage().peak, 256);
  EXPECT_EQ(store.usage().budget, 1000);
  store.release(second);
  EXPECT_EQ(store.usage().in_use, 0);
}

TEST(TileStore, AlignsTilesOfEverySize) {
  TileStore store(64 * kMebibyte);
  for (const int64_t bytes : {0, 1, 63, 64, 65, 4095, 4096, 4097, 65536, 262144, 262145, 1 << 20}) {
    const auto address = reinterpret_cast<uintptr_t>(store.allocate(bytes));
    EXPECT_EQ(address % TileStore::kAlignment, 0U) << bytes;
  }
}

TEST(TileStore, GivesTilesWithoutBytesPlacesOfTheirOwn) {
  TileStore store(128);
  std::byte* const first = store.allocate(0);
  std::byte* const second = store.allocate(0);
  EXPECT_NE(first, second);
  EXPECT_EQ(store.usage().in_use, 128);
  store.release(first);
  store.release(second);
}

TEST(TileStore, FillsTheBudgetToTheLastByte) {
  TileStore store(4 * kMebibyte);
  std::byte* const whole = store.allocate(4 * kMebibyte);
  EXPECT_EQ(error_of_allocating(store, 0).kind(), ErrorKind::resource);
  store.release(whole);
  EXPECT_NO_THROW(store.release(store.allocate(4 * kMebibyte)));
}

TEST(TileStore, SaysWhatWasAskedIsInUseAndMayBeUsed) {
  TileStore store(4 * kMebibyte);
  std::byte* const tile = store.allocate(3 * kMebibyte);
  const Error error = error_of_allocating(store, 2 * kMebibyte);
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr("a tile of 2 MiB"));
  EXPECT_THAT(error.message(), HasSubstr("3 MiB of 4 MiB are in use"));
  EXPECT_THAT(error.message(), HasSubstr("(3145728 + 2097152 of 4194304 bytes)"));
  EXPECT_EQ(store.usage().in_use, 3 * kMebibyte);
  store.release(tile);
}

TEST(TileStore, RefusesSizesBeyondAnyMemory) {
  TileStore small(4 * kMebibyte);
  EXPECT_EQ(error_of_allocating(small, INT64_MAX).kind(), ErrorKind::resource);
  TileStore without_limit(INT64_MAX);
  EXPECT_EQ(error_of_allocating(without_limit, INT64_MAX).kind(), ErrorKind::resource);
  EXPECT_EQ(error_of_allocating(without_limit, int64_t{1} << 60).kind(), ErrorKind::resource);
  EXPECT_EQ(without_limit.usage().in_use, 0);
  EXPECT_EQ(error_of_allocating(without_limit, -1).kind(), ErrorKind::internal);
}

TEST(TileStore, AStoreWithoutBudgetAllocatesNothing) {
  TileStore store(0);
  EXPECT_EQ(error_of_allocating(store, 0).kind(), ErrorKind::resource);
}

TEST(TileStore, FailsAtTheChosenAllocationAndOnlyThere) {
  TileStore store(kMebibyte, 2);
  std::byte* const first = store.allocate(64);
  const Error error = error_of_allocating(store, 64);
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_THAT(error.message(), HasSubstr("chosen to fail"));
  EXPECT_EQ(store.usage().in_use, 64);
  EXPECT_NO_THROW(store.release(store.allocate(64)));
  store.release(first);
}

TEST(TileStore, RefusesToReleaseWhatIsNotInUse) {
  TileStore store(16 * kMebibyte);
  std::byte* const block = store.allocate(128);
  std::byte* const other_block = store.allocate(128);
  std::byte* const large = store.allocate(kMebibyte);
  std::byte elsewhere{};
  EXPECT_THROW(store.release(&elsewhere), Error);
  EXPECT_THROW(store.release(nullptr), Error);
  EXPECT_THROW(store.release(block + 64), Error);
  EXPECT_THROW(store.release(large + 64), Error);
  store.release(block);
  store.release(large);
  EXPECT_THROW(store.release(block), Error);
  EXPECT_THROW(store.release(large), Error);
  EXPECT_EQ(store.usage().in_use, 128);
  store.release(other_block);
}

TEST(TileStore, AgreesWithAModelUnderRandomUse) {
  constexpr int64_t kBudget = 24 * kMebibyte;
  constexpr int kSteps = 30000;
  TileStore store(kBudget);
  std::mt19937_64 random(7);
  std::map<std::byte*, std::pair<int64_t, int>> live;  // size and fill byte
  std::vector<std::byte*> order;
  int64_t in_use = 0;
  int64_t peak = 0;
  for (int step = 0; step < kSteps; ++step) {
    if (order.empty() || random() % 100 < 52) {
      const int64_t bytes = static_cast<int64_t>(random() % (uint64_t{1} << (random() % 21)));
      const int64_t charged = std::max<int64_t>(64, (bytes + 63) / 64 * 64);
      if (in_use + charged > kBudget) {
        ASSERT_EQ(error_of_allocating(store, bytes).kind(), ErrorKind::resource);
        continue;
      }
      const int fill = static_cast<int>(random() % 256);
      std::byte* const tile = allocate_filled(store, bytes, fill);
      const auto [place, is_new] = live.emplace(tile, std::pair{bytes, fill});
      ASSERT_TRUE(is_new);
      const auto next = std::next(place);
      ASSERT_TRUE(next == live.end() || tile + bytes <= next->first);
      order.push_back(tile);
      in_use += charged;
      peak = std::max(peak, in_use);
    } else {
      std::swap(order[random() % order.size()], order.back());
      std::byte* const tile = order.back();
      order.pop_back();
      const auto [bytes, fill] = live.at(tile);
      const bool intact = std::all_of(tile, tile + bytes, [fill = fill](std::byte value) {
        return value == static_cast<std::byte>(fill);
      });
      ASSERT_TRUE(intact) << "another tile was written here";
      store.release(tile);
      live.erase(tile);
      in_use -= std::max<int64_t>(64, (bytes + 63) / 64 * 64);
    }
    ASSERT_EQ(store.usage().in_use, in_use);
    ASSERT_EQ(store.usage().peak, peak);
  }
}

TEST(TileStore, HoldsManySmallTilesInLittleMoreThanTheirBytes) {
  constexpr int64_t kTiles = 200'000;
  TileStore store(kTiles * 64);
  [[maybe_unused]] const int64_t before = resident_bytes();
  std::vector<std::byte*> tiles;
  for (int64_t tile = 0; tile < kTiles; ++tile) {
    tiles.push_back(allocate_filled(store, 64));
  }
#if !defined(TESSERA_THREAD_SANITIZER)  // it keeps shadow memory
  EXPECT_LT(resident_bytes() - before, 3 * kTiles * 64);
#endif
  for (std::byte* const tile : tiles) {
    store.release(tile);
  }
  EXPECT_EQ(store.usage().in_use, 0);
}

#if !defined(TESSERA_ADDRESS_SANITIZER) && \
    !defined(TESSERA_THREAD_SANITIZER)  // they keep shadow memory
TEST(TileStore, ReturnsLargeTilesToTheSystem) {
  TileStore store(512 * kMebibyte);
  const int64_t before = resident_bytes();
  std::vector<std::byte*> tiles;
  for (int tile = 0; tile < 80; ++tile) {
    tiles.push_back(allocate_filled(store, 5 * kMebibyte));
  }
  EXPECT_GE(resident_bytes() - before, 400 * kMebibyte);
  for (std::byte* const tile : tiles) {
    store.release(tile);
  }
  EXPECT_LE(resident_bytes() - before, TileStore::kMostKeptBytes + 4 * kMebibyte);
}

TEST(TileStore, ReturnsThePagesOfReleasedBlocksBetweenUsedOnes) {
  TileStore store(512 * kMebibyte);
  const int64_t before = resident_bytes();
  std::vector<std::byte*> tiles;
  tiles.reserve(2000);
  for (int tile = 0; tile < 2000; ++tile) {
    tiles.push_back(allocate_filled(store, 100'000));
  }
  for (size_t tile = 0; tile < tiles.size(); ++tile) {
    if (tile % 8 != 0) {
      store.release(tiles[tile]);
    }
  }
  const int64_t in_use = store.usage().in_use;
  // Every slab keeps a tile, so that none goes back whole.
  EXPECT_LE(resident_bytes() - before, in_use + TileStore::kMostIdleBytes + 8 * kMebibyte);
}

TEST(TileStore, KeepsReleasedMemoryWithinTheBudget) {
  constexpr int64_t kBudget = 33 * kMebibyte;
  TileStore store(kBudget);
  const int64_t before = resident_bytes();
  for (int size = 1; size < 32; ++size) {
    store.release(allocate_filled(store, size * kMebibyte));
    std::byte* const rest = allocate_filled(store, kBudget - size * kMebibyte);
    EXPECT_LE(resident_bytes() - before, kBudget + 2 * kMebibyte);
    store.release(rest);
  }
}
#endif

TEST(TileStore, ServesManyThreads) {
  TileStore store(256 * kMebibyte);
  const auto work = [&store](int value) {
    std::mt19937_64 random(static_cast<uint64_t>(value));
    std::vector<std::pair<std::byte*, int64_t>> tiles;
    for (int step = 0; step < 3000; ++step) {
      const int64_t bytes = static_cast<int64_t>(1 + random() % (uint64_t{1} << (random() % 19)));
      tiles.emplace_back(allocate_filled(store, bytes, value), bytes);
      if (tiles.size() > 20) {
        const auto [tile, size] = tiles.front();
        EXPECT_EQ(tile[0], static_cast<std::byte>(value));
        EXPECT_EQ(tile[size - 1], static_cast<std::byte>(value));
        store.release(tile);
        tiles.erase(tiles.begin());
      }
    }
    for (const auto& [tile, size] : tiles) {
      store.release(tile);
    }
  };
  std::vector<std::thread> threads;
  for (int value = 1; value <= 4; ++value) {
    threads.emplace_back(work, value);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(store.usage().in_use, 0);
}

TEST(TileStore, UsesThePagesOfAReleasedTileAgainWhereTheBudgetIsUsedUp) {
  constexpr int64_t kTile = int64_t{1} << 20;
  TileStore store(2 * kTile);
  std::byte* const first = store.allocate(kTile);
  std::byte* const second = store.allocate(kTile);
  first[0] = std::byte{42};
  store.release(first);
  std::byte* const third = store.allocate(kTile);
  EXPECT_EQ(third[0], std::byte{42});  // fresh pages would be empty
  store.release(second);
  store.release(third);
}

}  // namespace
TEST(TileStore, TakesThePagesThatTheLastOneReturned) {
  constexpr int64_t kTile = int64_t{1} << 20;
  PagePool pool(4 * kTile);
  const std::byte* before = nullptr;
  {
    TileStore store(4 * kTile, pool);
    std::byte* const tile = store.allocate(kTile);
    before = tile;
    store.release(tile);
  }
  EXPECT_EQ(pool.kept_bytes(), kTile);
  {
    TileStore store(4 * kTile, pool);
    EXPECT_EQ(store.allocate(kTile), before);
  }
  const TileStore smaller(kTile / 2, pool);
  EXPECT_EQ(pool.kept_bytes(), 0);  // no more than its budget
}

}  // namespace tessera::store::tile_store_test
