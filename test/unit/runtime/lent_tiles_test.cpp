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
#include "unit/known.h"

namespace tessera::runtime::lent_tiles_test {
namespace {

constexpr int64_t kRows = 8;
constexpr int64_t kColumns = 256;

/// R of X i32[8,256] in tiles that are cut so, whose rows have gaps between them where X lies.
plan::TaskGraph plan_of(const std::string& statement, const std::string& cut = "i:2x4,j:2x128") {
  const std::string input = "ia sites=1\n%0 = input X : (" + cut + ") -> i32[i=8,j=256]\n";
  return plan::to_tasks(ia::parse_graph({"plan.ia", input + statement + "output(%1) R\n"},
                                        known().functions, known().aggregates),
                        known().context);
}

const char* const kTransposed =
    "%1 = local_join(%0) on=(i,j) kernel={o[j,i] = x0[i,j]} : (j:2x128,i:2x4) -> i32[j=256,i=8]"
    "   # R (t.ein:1:1)\n";
const char* const kSummed =
    "%1 = local_join(%0) on=(i,j) kernel={o[i,j] = x0[i,j] + x0[i,j]} : (i:2x4,j:2x128) -> "
    "i32[i=8,j=256]   # R (t.ein:1:1)\n";

std::unique_ptr<Executor> executor(bool is_serial) {
  return is_serial ? make_serial_executor() : make_threads_executor({2, testing::TempDir()});
}

/// How often a source that lends was read.
int reads_of(const plan::TaskGraph& graph, bool is_serial, store::MemoryTensor& result) {
  const store::MemoryTensor numbers{ArrayType{DType::i32, {kRows, kColumns}}};
  std::iota(numbers.view().as<int32_t>(), numbers.view().as<int32_t>() + kRows * kColumns, 0);
  const CountedSource source(numbers, true);
  store::TileStore store(int64_t{1} << 20);
  const RunContext context{{&store}, known().context, {{"X", &source}}, {{"R", &result}}};
  executor(is_serial)->run(graph, context);
  EXPECT_EQ(store.usage().in_use, 0);
  return source.reads;
}

TEST(LentTiles, AKernelThatReadsOnceTakesRowsWithGaps) {
  for (const bool is_serial : {true, false}) {
    store::MemoryTensor result{ArrayType{DType::i32, {kColumns, kRows}}};
    EXPECT_EQ(reads_of(plan_of(kTransposed), is_serial, result), 0);
    const auto* const values = result.view().as<int32_t>();
    for (int64_t j = 0; j < kColumns; ++j) {
      for (int64_t i = 0; i < kRows; ++i) {
        ASSERT_EQ(values[j * kRows + i], i * kColumns + j);
      }
    }
  }
}

TEST(LentTiles, OthersHaveThemCopied) {
  for (const bool is_serial : {true, false}) {
    store::MemoryTensor result{ArrayType{DType::i32, {kRows, kColumns}}};
    EXPECT_EQ(reads_of(plan_of(kSummed), is_serial, result), 4);
    const auto* const values = result.view().as<int32_t>();
    for (int64_t at = 0; at < kRows * kColumns; ++at) {
      ASSERT_EQ(values[at], 2 * at);
    }
  }
}

TEST(LentTiles, ShortRowsAreCopied) {
  const std::string narrow =
      "%1 = local_join(%0) on=(i,j) kernel={o[j,i] = x0[i,j]} : (j:8x32,i:2x4) -> i32[j=256,i=8]"
      "   # R (t.ein:1:1)\n";
  store::MemoryTensor result{ArrayType{DType::i32, {kColumns, kRows}}};
  EXPECT_EQ(reads_of(plan_of(narrow, "i:2x4,j:8x32"), true, result), 16);
  EXPECT_EQ(result.view().as<int32_t>()[kRows], 1);
}

}  // namespace
}  // namespace tessera::runtime::lent_tiles_test
