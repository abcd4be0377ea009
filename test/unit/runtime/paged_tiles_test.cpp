#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "counted_source.h"
#include "ir/ia/text.h"
#include "plan/to_tasks.h"
#include "runtime/executor.h"
#include "store/memory_tensor.h"
#include "store/spill_file.h"
#include "unit/known.h"

namespace tessera::runtime::paged_tiles_test {
namespace {

constexpr int64_t kSide = 64;
constexpr int kTilesOfB = 4;

/// A product of matrices of 64 a side whose rows of tiles each need all four tiles of B.
plan::TaskGraph product() {
  return plan::to_tasks(
      ia::parse_graph({"plan.ia",
                       "ia sites=1\n"
                       "%0 = input A : (i:8x8,j:4x16) -> i32[i=64,j=64]\n"
                       "%1 = input B : (j:4x16,k:1x64) -> i32[j=64,k=64]\n"
                       "%2 = local_join(%0, %1) on=(i,j; j,k) kernel={o[i,k] = sum[j] x0[i,j] * "
                       "x1[j,k]} : (i:8x8,k:1x64,j:4x16) -> i32[i=64,k=64]   # P (t.ein:1:1)\n"
                       "%3 = local_aggregate(%2) keep=(i,k) by=sum:i32 : (i:8x8,k:1x64) -> "
                       "i32[i=64,k=64]   # R (t.ein:1:1)\n"
                       "output(%3) R\n"},
                      known().functions, known().aggregates),
      known().context);
}

struct Ran {
  int reads = 0;  // of B
  int64_t copied_bytes = 0;
  std::vector<int32_t> result;
};

/// The product under the smallest budget, with a B of which a read brings in so many times its
/// bytes.
Ran run(const plan::TaskGraph& graph, int64_t times_its_bytes, const std::string& directory) {
  const store::MemoryTensor numbers{ArrayType{DType::i32, {kSide, kSide}}};
  std::iota(numbers.view().as<int32_t>(), numbers.view().as<int32_t>() + kSide * kSide, 0);
  const CountedSource a(numbers, false);
  CountedSource b(numbers, false);
  b.times_its_bytes = times_its_bytes;
  store::MemoryTensor result{ArrayType{DType::i32, {kSide, kSide}}};
  store::TileStore store(graph.proof().smallest_budget);
  const RunContext context{{&store}, known().context, {{"A", &a}, {"B", &b}}, {{"R", &result}}};
  const RunReport report = make_threads_executor({1, directory})->run(graph, context);
  EXPECT_EQ(store.usage().in_use, 0);
  EXPECT_EQ(report.num_spills, 0);
  const auto* const values = result.view().as<int32_t>();
  return {b.reads, report.copied_bytes, {values, values + kSide * kSide}};
}

TEST(PagedTiles, WhatIsDearToReadIsReadTwiceAtMost) {
  const plan::TaskGraph graph = product();
  const Ran cheap = run(graph, 1, testing::TempDir());
  EXPECT_GT(cheap.reads, 2 * kTilesOfB);
  EXPECT_EQ(cheap.copied_bytes, 0);
  const Ran dear = run(graph, 16, testing::TempDir());
  EXPECT_EQ(dear.reads, 2 * kTilesOfB);
  EXPECT_EQ(dear.copied_bytes, kSide * kSide * 4);
  EXPECT_EQ(dear.result, cheap.result);
}

TEST(PagedTiles, WithoutRoomForCopiesTheSourceIsReadOn) {
  const plan::TaskGraph graph = product();
  const Ran cheap = run(graph, 1, testing::TempDir());
  const Ran dear = run(graph, 16, "/no/such/place");
  EXPECT_EQ(dear.reads, cheap.reads);
  EXPECT_EQ(dear.copied_bytes, 0);
  EXPECT_EQ(dear.result, cheap.result);
}

TEST(PagedTiles, CopiesTakeNoMemory) {
  const std::string directory = "/dev/shm";
  if (!store::SpillFile(directory).is_in_memory()) {
    GTEST_SKIP() << directory << " is no tmpfs";
  }
  EXPECT_EQ(run(product(), 16, directory).copied_bytes, 0);
}

}  // namespace
}  // namespace tessera::runtime::paged_tiles_test
