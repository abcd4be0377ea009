#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/blocked/accumulator.h"
#include "kernels/cpu/blocked/column_accumulator.h"
#include "kernels/cpu/blocked/row_reduction.h"
#include "kernels/isa/merged_function_table.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// Blocks merged many at a time give the bits of blocks merged one after the other.
namespace tessera::kernels::column_folds_test {
namespace {

constexpr Isa kAllIsas[] = {Isa::scalar, Isa::avx2, Isa::avx512};

/// Numbers whose sums and products are rounded, with zeros of both signs and NaNs between them.
template <class T>
std::vector<T> hostile_numbers(int64_t count, bool with_nan) {
  std::mt19937 random(11);
  std::uniform_real_distribution<T> draw(-2, 2);
  std::vector<T> values(static_cast<size_t>(count));
  std::generate(values.begin(), values.end(), [&] {
    const auto kind = random() % 64;
    return kind == 0               ? T(0)
           : kind == 1             ? -T(0)
           : kind == 2 && with_nan ? std::numeric_limits<T>::quiet_NaN()
                                   : draw(random);
  });
  return values;
}

/// Of numbers, no NaNs: zeros differ by their signs alone.
template <class T>
bool has_same_bits(T one, T other) {
  return one == other && std::signbit(one) == std::signbit(other);
}

struct Accumulated {
  explicit Accumulated(const BlockReduction& reduction, int64_t num_blocks)
      : memory(static_cast<size_t>(BlockAccumulator::workspace_bytes(reduction, num_blocks)) + 64) {
    void* start = memory.data();
    size_t room = memory.size();
    accumulator.bind(reduction, static_cast<std::byte*>(std::align(64, 1, start, room)));
  }
  std::vector<std::byte> memory;
  BlockAccumulator accumulator;
};

template <class T>
void expect_equal_bits(const char* aggregate, DType dtype, Isa isa, int64_t lanes,
                       int64_t num_blocks, bool with_nan) {
  const expr::Monoid monoid = expr::all_aggregates().find(aggregate)->bind(dtype).monoid;
  const OrRefusal<BlockReduction> reduction = BlockReduction::compile(monoid, isa);
  ASSERT_TRUE(reduction);
  const std::vector<T> values = hostile_numbers<T>(lanes * num_blocks, with_nan);
  Accumulated one_by_one(*reduction, num_blocks);
  Accumulated together(*reduction, num_blocks);
  ASSERT_TRUE(together.accumulator.has_columns());
  one_by_one.accumulator.begin(lanes, lanes);
  together.accumulator.begin(lanes, lanes);
  std::array<std::array<const void*, BlockAccumulator::kLeaf>, 1> blocks;
  int64_t gathered = 0;
  for (int64_t block = 0; block < num_blocks; ++block) {
    const void* const states[] = {values.data() + block * lanes};
    ASSERT_EQ(one_by_one.accumulator.add(states, lanes), Status::ok);
    blocks[0][static_cast<size_t>(gathered++)] = states[0];
    // Sometimes a leaf in two parts.
    if (gathered == together.accumulator.room_in_leaf() || block % 37 == 5 ||
        block + 1 == num_blocks) {
      ASSERT_EQ(together.accumulator.add_blocks(blocks, gathered), Status::ok);
      gathered = 0;
    }
  }
  ASSERT_EQ(one_by_one.accumulator.finish(), Status::ok);
  ASSERT_EQ(together.accumulator.finish(), Status::ok);
  const auto* const expected = static_cast<const T*>(one_by_one.accumulator.state(0));
  const auto* const found = static_cast<const T*>(together.accumulator.state(0));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    ASSERT_TRUE((expected[lane] != expected[lane] && found[lane] != found[lane]) ||
                has_same_bits(expected[lane], found[lane]))
        << aggregate << " " << name_of(dtype) << " " << name_of(isa) << " lane " << lane << ": "
        << found[lane] << " for " << expected[lane];
  }
}

TEST(ColumnFolds, AreTheAccumulatorsOrder) {
  for (const Isa isa : kAllIsas) {
    for (const int64_t lanes : {1L, 7L, 16L, 129L, 1000L, kBlock}) {
      for (const char* const aggregate : {"sum", "prod", "max", "min"}) {
        if (isa <= widest_isa()) {
          expect_equal_bits<float>(aggregate, DType::f32, isa, lanes, 70, true);
          expect_equal_bits<double>(aggregate, DType::f64, isa, lanes, 33, false);
        }
      }
    }
  }
}

/// Rows in parts, `apart` elements from one to the next, and the results of some of them merged
/// into those of the others.
template <class T>
void expect_columns_of_blocks(const char* aggregate, DType dtype, Isa isa, int64_t columns,
                              int64_t apart, int64_t num_rows) {
  const expr::Monoid monoid = expr::all_aggregates().find(aggregate)->bind(dtype).monoid;
  const OrRefusal<BlockReduction> reduction = BlockReduction::compile(monoid, isa);
  ASSERT_TRUE(reduction);
  const RowReduction counted(monoid, isa);
  const std::vector<T> values = hostile_numbers<T>(apart * num_rows, false);
  ColumnAccumulator accumulator;
  std::vector<std::byte> memory(
      static_cast<size_t>(ColumnAccumulator::workspace_bytes(*reduction, columns, num_rows)) + 64);
  void* start = memory.data();
  size_t room = memory.size();
  accumulator.bind(*reduction, counted, columns,
                   static_cast<std::byte*>(std::align(64, 1, start, room)));
  accumulator.merge_first_by(nullptr, false);
  accumulator.begin(columns);
  ColumnAccumulator::Rows rows;
  for (int64_t row = 0; row < num_rows;) {
    const int64_t count = std::min({accumulator.room(), num_rows - row, 1 + row % 7});
    for (int64_t next = 0; next < count; ++next) {
      rows[0][static_cast<size_t>(next)] = values.data() + (row + next) * apart;
    }
    accumulator.add(rows, count);
    row += count;
  }
  std::vector<T> found(static_cast<size_t>(columns));
  void* const results[] = {found.data()};
  accumulator.finish(results, false);
  for (int64_t first = 0; first < columns; first += kBlock) {
    const int64_t lanes = std::min(kBlock, columns - first);
    Accumulated one_by_one(*reduction, num_rows);
    one_by_one.accumulator.begin(lanes, lanes);
    for (int64_t row = 0; row < num_rows; ++row) {
      const void* const states[] = {values.data() + row * apart + first};
      ASSERT_EQ(one_by_one.accumulator.add(states, lanes), Status::ok);
    }
    ASSERT_EQ(one_by_one.accumulator.finish(), Status::ok);
    const auto* const expected = static_cast<const T*>(one_by_one.accumulator.state(0));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      ASSERT_TRUE(has_same_bits(expected[lane], found[static_cast<size_t>(first + lane)]))
          << aggregate << " " << name_of(dtype) << " " << name_of(isa) << " of " << num_rows
          << " rows, column " << first + lane;
    }
  }
}

TEST(ColumnFolds, ColumnsHaveTheBitsOfBlocks) {
  for (const Isa isa : kAllIsas) {
    for (const int64_t num_rows : {1L, 2L, 15L, 16L, 17L, 40L, 64L, 113L}) {
      for (const char* const aggregate : {"sum", "prod", "max", "min"}) {
        if (isa <= widest_isa()) {
          expect_columns_of_blocks<float>(aggregate, DType::f32, isa, 130, 130, num_rows);
          expect_columns_of_blocks<float>(aggregate, DType::f32, isa, 2077, 2100, num_rows);
          expect_columns_of_blocks<double>(aggregate, DType::f64, isa, 1, 7, num_rows);
          expect_columns_of_blocks<double>(aggregate, DType::f64, isa, 300, 1024, num_rows);
        }
      }
    }
  }
}

/// As many rows as a call may have, in columns that are no whole parts; bytes of all bits, -128
/// too.
TEST(ColumnFolds, SumsOfBytesDoNotOverflow) {
  constexpr double kExactBytes = static_cast<double>(int64_t{1} << 45);
  constexpr int64_t kColumns = 20 * kBlock;
  std::vector<int8_t> values(static_cast<size_t>(kColumns * kMostMergedRows));
  std::mt19937 random(5);
  std::generate(values.begin(), values.end(), [&] {
    return static_cast<int8_t>(random() % 8 == 0 ? static_cast<int>(random() % 256) : -128);
  });
  std::vector<const void*> rows;
  for (int64_t row = 0; row < kMostMergedRows; ++row) {
    rows.push_back(values.data() + row * kColumns);
  }
  for (const Isa isa : kAllIsas) {
    for (const MergedFunction& function : merged_functions(std::min(isa, widest_isa()))) {
      if (function.exact_elements != kExactBytes) {
        continue;  // not of bytes
      }
      std::vector<double> sums(kColumns - 5, 1);
      function.merged_columns(rows.data(), kMostMergedRows, kColumns - 5, true, sums.data());
      std::vector<double> expected(kColumns, 1);
      std::vector<double> numbers(kBlock);
      for (int64_t at = 0; at < kColumns * kMostMergedRows; at += kBlock) {
        const void* const block[] = {values.data() + at};
        ASSERT_EQ(function.function(block, numbers.data(), kBlock), Status::ok);
        double* const into = expected.data() + at % kColumns;
        std::transform(numbers.begin(), numbers.end(), into, into, std::plus<>());
      }
      expected.resize(sums.size());
      EXPECT_EQ(sums, expected) << name_of(isa);
    }
  }
}

TEST(ColumnFolds, AnyByteButZeroIsTrue) {
  const std::vector<uint8_t> rows = {1, 2, 0, 4, 0, 0, 255, 8, 0};
  const void* const starts[] = {rows.data(), rows.data() + 3, rows.data() + 6};
  for (const Isa isa : kAllIsas) {
    for (const ColumnEntry& entry : column_entries(isa <= widest_isa() ? isa : widest_isa())) {
      if (entry.type != DType::b1) {
        continue;
      }
      uint8_t results[3] = {9, 9, 9};
      entry.fold(starts, 3, 3, results);
      const std::string name = entry.merge;
      const bool is_or = name == "logical_or" || name == "maximum";
      EXPECT_EQ(results[0], 1) << name;
      EXPECT_EQ(results[1], is_or ? 1 : 0) << name;
      EXPECT_EQ(results[2], 0) << name;
      entry.fold(starts, 1, 3, results);
      EXPECT_EQ(results[1], 1) << name;
    }
  }
}

/// The last leaf is longer, and a block at the end is shorter than the others.
TEST(ColumnFolds, WhatIsExactIsOneLeaf) {
  const expr::Monoid monoid = expr::all_aggregates().find("sum")->bind(DType::i64).monoid;
  const OrRefusal<BlockReduction> reduction = BlockReduction::compile(monoid, widest_isa());
  ASSERT_TRUE(reduction);
  EXPECT_TRUE(reduction->is_exact());
  constexpr int64_t kLanes = 72;
  constexpr int64_t kBlocks = 45;
  std::vector<int64_t> values(kLanes * kBlocks);
  std::mt19937_64 random(3);
  std::generate(values.begin(), values.end(), [&] { return static_cast<int64_t>(random()); });
  std::vector<uint64_t> expected(kLanes, 0);
  Accumulated exact(*reduction, kBlocks);
  exact.accumulator.set_exact(true);
  exact.accumulator.begin(kLanes, kLanes);
  std::array<std::array<const void*, BlockAccumulator::kLeaf>, 1> blocks;
  int64_t gathered = 0;
  for (int64_t block = 0; block + 1 < kBlocks; ++block) {
    const int64_t* const row = values.data() + block * kLanes;
    blocks[0][static_cast<size_t>(gathered++)] = row;
    std::transform(row, row + kLanes, expected.begin(), expected.begin(),
                   [](int64_t value, uint64_t sum) { return sum + static_cast<uint64_t>(value); });
    if (gathered == exact.accumulator.room_in_leaf() || block + 2 == kBlocks) {
      ASSERT_EQ(exact.accumulator.add_blocks(blocks, gathered), Status::ok);
      gathered = 0;
    }
  }
  const int64_t* const rest = values.data() + (kBlocks - 1) * kLanes;
  const void* const last[] = {rest};
  ASSERT_EQ(exact.accumulator.add(last, 40), Status::ok);
  std::transform(rest, rest + 40, expected.begin(), expected.begin(),
                 [](int64_t value, uint64_t sum) { return sum + static_cast<uint64_t>(value); });
  ASSERT_EQ(exact.accumulator.finish(), Status::ok);
  const auto* const sums = static_cast<const uint64_t*>(exact.accumulator.state(0));
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    ASSERT_EQ(sums[lane], expected[static_cast<size_t>(lane)]) << lane;
  }
}

TEST(ColumnFolds, SumsThatRoundAreNotExact) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const expr::Monoid monoid = expr::all_aggregates().find("sum")->bind(dtype).monoid;
    EXPECT_FALSE(BlockReduction::compile(monoid, widest_isa())->is_exact());
  }
}

TEST(ColumnFolds, ConstantsAreMultiplied) {
  const expr::Monoid monoid = expr::all_aggregates().find("sum")->bind(DType::i64).monoid;
  const OrRefusal<BlockReduction> reduction = BlockReduction::compile(monoid, widest_isa());
  ASSERT_TRUE(reduction);
  const std::vector<int64_t> threes(100, 3);
  std::array<std::array<const void*, BlockAccumulator::kLeaf>, 1> blocks;
  blocks[0].fill(threes.data());
  Accumulated counted(*reduction, 60);
  counted.accumulator.count_constants(0, 3);
  counted.accumulator.begin(100, 100);
  for (const int64_t number : {5L, 11L, 16L, 7L}) {
    ASSERT_EQ(counted.accumulator.add_blocks(blocks, number), Status::ok);
  }
  const void* const last[] = {threes.data()};
  ASSERT_EQ(counted.accumulator.add(last, 40), Status::ok);
  ASSERT_EQ(counted.accumulator.finish(), Status::ok);
  const auto* const sums = static_cast<const int64_t*>(counted.accumulator.state(0));
  EXPECT_EQ(sums[0], 3 * 40);
  EXPECT_EQ(sums[39], 3 * 40);
  EXPECT_EQ(sums[40], 3 * 39);
}

TEST(ColumnFolds, RowsInOneGoAreTheirBlocks) {
  const expr::Monoid monoid = expr::all_aggregates().find("sum")->bind(DType::f32).monoid;
  for (const int64_t length : {1L, kBlock, kBlock + 1, 5 * kBlock - 3, kBlock * kBlock + 77}) {
    const std::vector<float> row = hostile_numbers<float>(length, false);
    const RowReduction reduction(monoid, widest_isa());
    const int64_t num_blocks = (length + kBlock - 1) / kBlock;
    std::vector<std::byte> memory(static_cast<size_t>(reduction.workspace_bytes(num_blocks)));
    RowAccumulator accumulator;
    accumulator.bind(reduction, memory.data());
    float expected = 0;
    float found = 0;
    accumulator.begin();
    for (int64_t e = 0; e < length; e += kBlock) {
      const void* const states[] = {row.data() + e};
      accumulator.add(states, std::min(kBlock, length - e));
    }
    void* target = &expected;
    accumulator.finish(&target);
    accumulator.begin();
    const void* const states[] = {row.data()};
    const bool repeats[] = {false};
    accumulator.add_row(states, repeats, length);
    target = &found;
    accumulator.finish(&target);
    EXPECT_TRUE(has_same_bits(found, expected)) << length << " elements";
  }
}

}  // namespace

}  // namespace tessera::kernels::column_folds_test
