#include "kernels/cpu/blocked/row_reduction.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// The stated order of rows, on floats whose sums depend on it.
namespace tessera::kernels::row_reduction_test {
namespace {

constexpr Isa kAllIsas[] = {Isa::scalar, Isa::avx2, Isa::avx512};

expr::Monoid monoid_of(const char* aggregate, DType element) {
  return expr::all_aggregates().find(aggregate)->bind(element).monoid;
}

std::vector<float> random_floats(int64_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> draw(-1, 1);
  std::vector<float> values(static_cast<size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return draw(random); });
  return values;
}

/// fold_table.h's order, written out.
template <class Merge>
float folded(const float* row, int64_t length, float identity, Merge merge) {
  std::vector<float> lanes(kFoldLanes, identity);
  for (int64_t e = 0; e < length; ++e) {
    float& lane = lanes[static_cast<size_t>(e % kFoldLanes)];
    lane = merge(lane, row[e]);
  }
  for (size_t half = lanes.size() / 2; half > 0; half /= 2) {
    for (size_t lane = 0; lane < half; ++lane) {
      lanes[lane] = merge(lanes[lane], lanes[lane + half]);
    }
  }
  return lanes[0];
}

/// row_reduction.h's order: blocks are folded, and what that gives is folded again.
float sum_of(std::vector<float> row) {
  const auto add = [](float a, float b) { return a + b; };
  do {
    std::vector<float> partial;
    const auto size = static_cast<int64_t>(row.size());
    for (int64_t e = 0; e < size; e += kBlock) {
      partial.push_back(folded(row.data() + e, std::min(kBlock, size - e), 0, add));
    }
    row = std::move(partial);
  } while (row.size() > 1);
  return row.empty() ? 0 : row[0];
}

bool runs_here(Isa isa) {
  return isa <= widest_isa();
}

float row_sum(const std::vector<float>& row, Isa isa) {
  const RowReduction reduction(monoid_of("sum", DType::f32), isa);
  const auto size = static_cast<int64_t>(row.size());
  std::vector<std::byte> memory(
      static_cast<size_t>(reduction.workspace_bytes((size + kBlock - 1) / kBlock)));
  RowAccumulator accumulator;
  accumulator.bind(reduction, memory.data());
  accumulator.begin();
  for (int64_t e = 0; e < size; e += kBlock) {
    const void* const states[] = {row.data() + e};
    accumulator.add(states, std::min(kBlock, size - e));
  }
  float result = -1;
  void* const results[] = {&result};
  accumulator.finish(results);
  return result;
}

TEST(RowReduction, RowsOfEveryLengthAreMergedInTheStatedOrder) {
  const int64_t step = kBlock + 1;
  for (const Isa isa : kAllIsas) {
    for (const int64_t length : {1L, 2L, 15L, 16L, 17L, 63L, 64L, 65L, 127L, 1000L, step - 1, step,
                                 3 * kBlock, kBlock * kBlock, kBlock * kBlock + step}) {
      const std::vector<float> row = random_floats(length);
      if (runs_here(isa)) {
        ASSERT_EQ(row_sum(row, isa), sum_of(row)) << length << " elements";
      }
    }
  }
}

TEST(RowReduction, NoBlocksAreTheIdentity) {
  EXPECT_EQ(row_sum({}, widest_isa()), 0.0F);
}

TEST(RowReduction, AnAccumulatorStartsAgain) {
  const RowReduction reduction(monoid_of("sum", DType::f32), widest_isa());
  std::vector<std::byte> memory(static_cast<size_t>(reduction.workspace_bytes(3)));
  RowAccumulator accumulator;
  accumulator.bind(reduction, memory.data());
  const std::vector<float> row = random_floats(kBlock);
  for (int round = 0; round < 3; ++round) {
    accumulator.begin();
    for (int block = 0; block < 3; ++block) {
      const void* const states[] = {row.data()};
      accumulator.add(states, kBlock);
    }
    float result = -1;
    void* const results[] = {&result};
    accumulator.finish(results);
    const float part = sum_of(row);
    EXPECT_EQ(result, sum_of({part, part, part}));
  }
}

TEST(RowReduction, RowsSideBySideAreFoldedEachByItself) {
  constexpr int64_t kRows = 9;
  constexpr int64_t kLength = 77;
  const std::vector<float> elements = random_floats(kRows * kLength);
  const float lowest = -std::numeric_limits<float>::infinity();
  for (const FoldEntry& entry : fold_entries(widest_isa())) {
    if (entry.type != DType::f32 || entry.merge != std::string("maximum")) {
      continue;
    }
    std::vector<float> results(kRows + 1, 42.0F);
    entry.fold(elements.data(), kRows, kLength, &lowest, results.data());
    for (int64_t row = 0; row < kRows; ++row) {
      const float* const first = elements.data() + row * kLength;
      EXPECT_EQ(results[static_cast<size_t>(row)], *std::max_element(first, first + kLength));
    }
    EXPECT_EQ(results.back(), 42.0F);  // nothing is written past the rows
    return;
  }
  FAIL() << "no fold by maximum of f32";
}

/// Every entry against the block function of its name, on numbers that are exact in any order.
TEST(RowReduction, EveryFoldIsItsFunction) {
  for (const Isa isa : kAllIsas) {
    for (const FoldEntry& entry : fold_entries(isa)) {
      if (!runs_here(isa)) {
        continue;
      }
      const BlockFunction merge =
          find_block_function(entry.merge, {{entry.type, entry.type}, entry.type}, isa);
      ASSERT_NE(merge, nullptr) << entry.merge << " " << name_of(entry.type);
      constexpr int64_t kLength = 150;
      alignas(64) std::byte row[kBlock * 16];
      alignas(64) std::byte expected[kBlock * 16];
      alignas(64) std::byte next[kBlock * 16];
      const auto size = static_cast<size_t>(size_of(entry.type));
      for (int64_t e = 0; e < kLength; ++e) {
        fill_literal(int64_t{e * e % 3 == 0 ? 2 : 1}, entry.type,
                     row + static_cast<size_t>(e) * size, 1);
      }
      std::memcpy(expected, row, size);
      for (size_t e = 1; e < kLength; ++e) {
        std::memcpy(next, row + e * size, size);
        const void* const arguments[] = {expected, next};
        merge(arguments, expected, 1);
      }
      // What a row lacks is filled with its first element where that changes nothing.
      std::byte identity[16];
      const std::string name = entry.merge;
      const int64_t neutral = name == "multiply" || name == "logical_and" ? 1 : 0;
      fill_literal(neutral, entry.type, identity, 1);
      if (name == "maximum" || name == "minimum") {
        std::memcpy(identity, row, size);
      }
      std::byte result[16];
      entry.fold(row, 1, kLength, identity, result);
      EXPECT_EQ(std::memcmp(result, expected, size), 0)
          << entry.merge << " " << name_of(entry.type);
    }
  }
}

TEST(RowReduction, AnyByteButZeroIsTrue) {
  const std::vector<uint8_t> bytes = {1, 2, 4, 8};
  const bool identity = true;
  for (const FoldEntry& entry : fold_entries(widest_isa())) {
    if (entry.type == DType::b1 && entry.merge == std::string("logical_and")) {
      uint8_t result = 9;
      entry.fold(bytes.data(), 1, 4, &identity, &result);
      EXPECT_EQ(result, 1);
    }
  }
}

/// Folds blocks, blocks of blocks, and blocks that repeat; every other element is the largest.
TEST(RowReduction, LogSumExpCountsTheLargestElementsOfLongRows) {
  const RowReduction reduction(monoid_of("logsumexp", DType::f32), widest_isa());
  const int64_t length = kBlock * 1030 + 7;
  std::vector<float> row(static_cast<size_t>(length));
  for (int64_t e = 0; e < length; ++e) {
    row[static_cast<size_t>(e)] = e % 2 == 0 ? 3 : -500;
  }
  const std::vector<float> ones(static_cast<size_t>(kBlock), 1);
  const TestTile memory(DType::u8, Box{{0}, {reduction.workspace_bytes(1031)}});
  RowAccumulator rows;
  rows.bind(reduction, memory.view().data);
  float largest = 0;
  float sum = 0;
  void* const results[] = {&largest, &sum};
  const void* const states[] = {row.data(), ones.data()};
  for (const bool repeats_elements : {false, true}) {
    const bool repeats[] = {repeats_elements, true};
    const int64_t count = repeats_elements ? kBlock * 1030 : length;
    rows.begin();
    rows.add_row(states, repeats, count);
    rows.finish(results);
    EXPECT_EQ(largest, 3);
    EXPECT_EQ(sum, static_cast<float>((count + 1) / 2));
  }
  rows.begin();
  rows.finish(results);
  EXPECT_EQ(largest, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(sum, 0);
}

TEST(RowReduction, StatesMergedTogetherHaveNoFolds) {
  EXPECT_TRUE(RowReduction(monoid_of("mean", DType::f32), widest_isa()).has_folds());
  EXPECT_TRUE(RowReduction(monoid_of("any", DType::b1), widest_isa()).has_folds());
  EXPECT_FALSE(RowReduction(monoid_of("argmax", DType::f32), widest_isa()).has_folds());
  EXPECT_TRUE(RowReduction(monoid_of("sum", DType::c64), widest_isa()).has_folds());
  EXPECT_FALSE(RowReduction(monoid_of("prod", DType::c64), widest_isa()).has_folds());
}

template <class T>
void expect_sums_of_parts(Isa isa) {
  constexpr DType kType = sizeof(T) == 4 ? DType::c64 : DType::c128;
  const RowFold fold =
      std::find_if(fold_entries(isa).begin(), fold_entries(isa).end(), [](const FoldEntry& entry) {
        return entry.type == kType && entry.merge == std::string("add");
      })->fold;
  const std::complex<T> identity = 0;
  for (const int64_t length : {0L, 1L, 5L, 63L, 64L, 65L, 200L, 1000L}) {
    std::vector<std::complex<T>> rows(static_cast<size_t>(2 * length));
    std::complex<T> expected[2] = {};
    for (size_t e = 0; e < rows.size(); ++e) {
      rows[e] = {static_cast<T>(e % 7), -static_cast<T>(e % 11)};
      expected[e / static_cast<size_t>(length)] += rows[e];
    }
    std::complex<T> sums[2];
    fold(rows.data(), 2, length, &identity, sums);
    EXPECT_EQ(sums[0], expected[0]) << length << " " << name_of(isa);
    EXPECT_EQ(sums[1], expected[1]) << length << " " << name_of(isa);
  }
}

TEST(RowReduction, PartsOfComplexNumbersAreSummedApart) {
  for (const Isa isa : kAllIsas) {
    if (runs_here(isa)) {
      expect_sums_of_parts<float>(isa);
      expect_sums_of_parts<double>(isa);
    }
  }
}

/// Statements over rows, by the evaluator and by the reference, on small integers. The ranges leave
/// out the first `skipped` positions of every label, so that rows are parts of larger tiles.
void expect_as_reference(const std::string& text, int64_t skipped, bool accumulate) {
  const expr::TileProgram program =
      expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}}, expr::all_functions());
  CallShape shape;
  shape.accumulate = accumulate;
  for (const expr::LabelDecl& label : program.labels) {
    const int64_t begin = std::min(skipped, label.extent);
    shape.ranges.push_back({begin, label.extent - begin});
  }
  std::vector<TestTile> tiles;
  std::vector<TileView> inputs;
  std::mt19937_64 random(3);
  tiles.reserve(2);
  for (const expr::Node& node : program.statements[0].bodies[0].nodes) {
    if (const auto* access = std::get_if<expr::Access>(&node.op)) {
      Shape extents;
      for (const expr::Index& index : access->index) {
        extents.push_back(program.labels[static_cast<size_t>(*expr::plain_label(index))].extent);
      }
      tiles.emplace_back(node.dtype, whole(extents));
      tiles.back().fill(random);
      inputs.push_back(tiles.back().view());
    }
  }
  const Registry& registry = all_kernels();
  const Outcome expected = run_kernel(*registry.find("reference"), program, shape, inputs);
  const Outcome made = run_kernel(*registry.find("blocked_evaluator"), program, shape, inputs);
  ASSERT_EQ(made.status, Status::ok) << text;
  for (size_t output = 0; output < made.outputs.size(); ++output) {
    EXPECT_EQ(first_difference(made.outputs[output], expected.outputs[output]), -1)
        << text << ", from " << skipped << (accumulate ? ", accumulated" : "");
  }
}

TEST(RowReduction, RowsOfAStatementAreThoseOfTheReference) {
  for (const char* text : {
           "[i=5,j=64] (f32) o[i] = sum[j] x0[i,j]",
           "[i=40,j=33] (f32) o[i] = max[j] x0[i,j]",
           "[i=3,j=1000] (f64) o[i] = min[j] x0[i,j]",
           "[i=3,j=5000] (f32) o[i] = sum[j] x0[i,j]",
           "[i=3,j=2048] (f32,f32) o[i] = sum[j] abs(x0[i,j] - x1[i])",
           "[i=7,j=100] (f32,f32) o[i] = sum[j] x0[i,j] * x1[j]",
           "[i=7,j=100] (f16) o[i] = max[j] x0[i,j]",
           "[i=7,j=100] (bf16) o[i] = sum[j] x0[i,j]",
           "[i=7,j=300] (i32) o[i] = sum[j] i64(x0[i,j])",
           "[i=7,j=300] (i8) o[i] = max[j] x0[i,j]",
           "[i=7,j=300] (b1) o[i] = any[j] x0[i,j]",
           "[i=7,j=300] (b1) o[i] = all[j] x0[i,j]",
           "[i=7,j=300] (f32) (o0,o1)[i] = mean[j] (x0[i,j], 1:i64)",
           "[i=6,h=4,j=40] (f32) o[i] = sum[h,j] x0[h,i,j]",      // rows with gaps
           "[i=6,h=50,j=40] (f32) o[i] = sum[h,j] x0[h,i,j]",     // several blocks of them
           "[i=6,h=3,j=700] (f32) o[i] = sum[h,j] x0[h,i,j]",     // one of them, short ones
           "[i=1100,h=2,j=300] (f32) o[i] = sum[h,j] x0[h,i,j]",  // more than are stored at once
           "[a=3,i=9,h=5,j=300] (f32) (o0,o1)[a,i] = mean[h,j] (x0[h,a,i,j], 1:i64)",
           "[a=3,i=9,h=5,j=300] (f32) o[i,a] = sum[h,j] x0[h,a,i,j]",
           "[a=3,i=6,j=40] (f32) o[i,a] = sum[j] x0[a,i,j]",  // results with strides
           "[a=3,b=4,i=6,j=40] (f32) o[b,a] = sum[i,j] x0[a,i,b,j]",
           "[j=3000] (f32) o[] = sum[j] x0[j]",
           "[i=4,j=64] (f32) o[i] = sum[j] x0[j]",  // a result does not read i
           "[i=4,j=64] (f32) o[i] = sum[j] x0[i]",  // a row of one value
           "[j=40] (i64) o[] = sum[j] (index(j) + x0[j])",
       }) {
    for (const int64_t skipped : {0, 1, 2}) {
      expect_as_reference(text, skipped, false);
      expect_as_reference(text, skipped, true);
    }
  }
}

TEST(RowReduction, EmptyRowsAreTheIdentity) {
  expect_as_reference("[i=4,j=0] (f32) o[i] = sum[j] x0[i,j]", 0, false);
  expect_as_reference("[i=0,j=64] (f32) o[i] = sum[j] x0[i,j]", 0, false);
  expect_as_reference("[i=4,h=0,j=64] (f32) o[i] = sum[h,j] x0[i,h,j]", 0, false);
  expect_as_reference("[i=4,h=0,j=64] (f32) o[i] = sum[h,j] x0[i,h,j]", 0, true);
}

}  // namespace
}  // namespace tessera::kernels::row_reduction_test
