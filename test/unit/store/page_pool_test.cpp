#include "store/page_pool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::store::page_pool_test {
namespace {

struct Taken {
  std::byte* pages;
  int64_t bytes;
  std::byte mark;

  bool is_intact() const {
    return std::all_of(pages, pages + bytes, [this](std::byte byte) { return byte == mark; });
  }
};

/// Pages of several sizes, the largest beyond a region of huge pages, each filled with its mark.
std::vector<Taken> take_all(PagePool& pool, Filling filling) {
  std::vector<Taken> all;
  for (const int64_t bytes : {int64_t{1}, int64_t{5000}, int64_t{3} << 20, int64_t{30} << 20,
                              int64_t{4096}, int64_t{40} << 20, int64_t{2} << 20}) {
    const Taken taken{pool.take(bytes, filling), bytes, std::byte(all.size() + 1)};
    EXPECT_NE(taken.pages, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(taken.pages) % 4096, 0);
    std::fill_n(taken.pages, bytes, taken.mark);
    all.push_back(taken);
  }
  return all;
}

TEST(PagePool, GivesPagesThatNobodyElseHas) {
  for (const Filling filling : {Filling::at_once, Filling::in_parts}) {
    PagePool pool(0);
    std::vector<Taken> all = take_all(pool, filling);
    while (!all.empty()) {  // the middle one goes first: neighbours keep their pages
      const auto next = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
      EXPECT_TRUE(next->is_intact()) << next->bytes;
      pool.put(next->pages, next->bytes);
      all.erase(next);
    }
  }
}

TEST(PagePool, GivesKeptPagesAgain) {
  PagePool pool(int64_t{4} << 20);
  std::byte* const first = pool.take(int64_t{1} << 20, Filling::at_once);
  pool.put(first, int64_t{1} << 20);
  EXPECT_EQ(pool.take(int64_t{1} << 20, Filling::at_once), first);
  std::byte* const second = pool.take(int64_t{1} << 20, Filling::at_once);
  EXPECT_NE(second, first);
  pool.put(first, int64_t{1} << 20);
  pool.put(second, int64_t{1} << 20);
}

}  // namespace
}  // namespace tessera::store::page_pool_test
