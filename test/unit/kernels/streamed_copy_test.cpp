#include "kernels/cpu/walk/streamed_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/cpu/walk/strided_copy.h"
#include "machine/isa.h"
#include "unit/drawn.h"

namespace tessera::kernels::streamed_copy_test {

namespace {

/// A box drawn at random: a permutation, with repeated, reversed and strided dimensions in between,
/// and the bytes that it reads and writes.
struct Drawn {
  StridedBox box;
  int64_t unit = 1;
  std::vector<std::byte> source;
  int64_t first_read = 0;
  int64_t written_bytes = 0;
  int64_t misaligned = 0;  // bytes that the target begins after a line
};

int64_t draw(std::mt19937_64& random, int64_t lowest, int64_t highest) {
  return std::uniform_int_distribution<int64_t>(lowest, highest)(random);
}

std::vector<int64_t> draw_extents(std::mt19937_64& random, int64_t rank) {
  std::vector<int64_t> extents;
  int64_t elements = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    const int64_t most = std::max<int64_t>(1, 60'000 / elements);
    const int64_t wanted = rank <= 3 ? draw(random, 1, 700) : draw(random, 1, 9);
    extents.push_back(std::min(wanted, most));
    elements *= extents.back();
  }
  return extents;
}

Drawn draw_box(std::mt19937_64& random) {
  Drawn drawn;
  drawn.unit = int64_t{1} << draw(random, 0, 4);
  drawn.misaligned = draw(random, 0, 3) == 0 ? drawn.unit * draw(random, 1, 7) : 0;
  const std::vector<int64_t> extents = draw_extents(random, draw(random, 1, 8));
  std::vector<size_t> order(extents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  std::vector<int64_t> read_step(extents.size());
  int64_t read_bytes = drawn.unit;
  for (const size_t dim : order) {
    const int64_t kind = draw(random, 0, 12);
    const int64_t step = kind == 0 ? 0 : kind == 1 ? 2 * read_bytes : read_bytes;
    read_step[dim] = kind == 2 ? -step : step;
    drawn.first_read += kind == 2 ? step * (extents[dim] - 1) : 0;
    read_bytes = step == 0 ? read_bytes : step * extents[dim];
  }
  drawn.written_bytes = drawn.unit;
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    drawn.box.add(extents[dim], read_step[dim], drawn.written_bytes);
    drawn.written_bytes *= extents[dim];
  }
  drawn.source.resize(static_cast<size_t>(read_bytes));
  for (std::byte& byte : drawn.source) {
    byte = static_cast<std::byte>(random());
  }
  return drawn;
}

void copy_one_by_one(const Drawn& drawn, std::byte* to) {
  const StridedBox& box = drawn.box;
  std::array<int64_t, StridedBox::kMaxDims> position{};
  for (int64_t element = 0; element < box.num_elements(); ++element) {
    const std::byte* from = drawn.source.data() + drawn.first_read;
    std::byte* target = to;
    bool goes_on = true;
    for (size_t dim = 0; dim < static_cast<size_t>(box.num_dims); ++dim) {
      from += position[dim] * box.read_step[dim];
      target += position[dim] * box.write_step[dim];
      goes_on = goes_on && ++position[dim] == box.extent[dim];
      position[dim] = position[dim] == box.extent[dim] ? 0 : position[dim];
    }
    std::memcpy(target, from, static_cast<size_t>(drawn.unit));
  }
}

std::string describe(const Drawn& drawn) {
  std::string text = fmt::format("unit {}", drawn.unit);
  for (size_t dim = 0; dim < static_cast<size_t>(drawn.box.num_dims); ++dim) {
    text += fmt::format(", {} of {} to {}", drawn.box.extent[dim], drawn.box.read_step[dim],
                        drawn.box.write_step[dim]);
  }
  return text;
}

/// Bytes around a target that must stay as they are.
constexpr size_t kMargin = 128;

/// `outer` matrices of `ways` rows or columns and `count` elements in each, transposed.
Drawn interleaved(int64_t unit, int64_t ways, int64_t count, int64_t outer, bool joins) {
  Drawn drawn;
  drawn.unit = unit;
  const int64_t inner = joins ? ways : count;
  const int64_t rows = joins ? count : ways;
  drawn.box.add(inner, rows * unit, unit);
  drawn.box.add(rows, unit, inner * unit);
  drawn.written_bytes = ways * count * outer * unit;
  drawn.box.add(outer, ways * count * unit, ways * count * unit);
  drawn.source.resize(static_cast<size_t>(drawn.written_bytes));
  std::mt19937_64 random(static_cast<uint64_t>(count));
  for (std::byte& byte : drawn.source) {
    byte = static_cast<std::byte>(random());
  }
  return drawn;
}

class StreamedCopy : public testing::TestWithParam<Isa> {
 protected:
  StreamedCopy() : memory_(static_cast<size_t>(stream_workspace_bytes()) + 64) {}

  void SetUp() override {
    if (GetParam() > widest_isa()) {
      GTEST_SKIP() << "the processor has no " << name_of(GetParam());
    }
  }

  void expect_moved(const Drawn& drawn) {
    void* start = memory_.data();
    size_t room = memory_.size();
    auto* const workspace = static_cast<std::byte*>(
        std::align(64, static_cast<size_t>(stream_workspace_bytes()), start, room));
    const auto size = static_cast<size_t>(drawn.misaligned + drawn.written_bytes) + 2 * kMargin;
    std::vector<std::byte> expected(size, std::byte{7});
    std::vector<std::byte> streamed = expected;
    std::vector<std::byte> cached = expected;
    std::vector<std::byte> copied = expected;
    const size_t first = kMargin + static_cast<size_t>(drawn.misaligned);
    copy_one_by_one(drawn, expected.data() + first);
    const std::byte* const from = drawn.source.data() + drawn.first_read;
    stream_box(from, streamed.data() + first, drawn.unit, StridedBox(drawn.box), GetParam(),
               workspace, Fitting::memory);
    stream_box(from, cached.data() + first, drawn.unit, StridedBox(drawn.box), GetParam(),
               workspace, Fitting::caches);
    copy_box(from, copied.data() + first, drawn.unit, StridedBox(drawn.box));
    ASSERT_EQ(streamed, expected) << describe(drawn);
    ASSERT_EQ(cached, expected) << describe(drawn);
    ASSERT_EQ(copied, expected) << describe(drawn);
  }

 private:
  std::vector<std::byte> memory_;
};

TEST_P(StreamedCopy, MovesDrawnBoxesAsOneElementAfterTheOther) {
  std::mt19937_64 random(20261125);
  for (int number = 0; number < 400 / kOneOfDrawn; ++number) {
    expect_moved(draw_box(random));
  }
}

TEST_P(StreamedCopy, BringsTuplesApartAndTogether) {
  for (const int64_t unit : {1, 2, 4, 8, 16}) {
    for (int64_t ways = 2; ways < 10; ++ways) {
      for (const int64_t count : {3, 4, 5, 63, 64, 1000, 5003}) {
        for (const bool joins : {false, true}) {
          Drawn drawn = interleaved(unit, ways, count, count < 1000 ? 20 : 2, joins);
          expect_moved(drawn);
          drawn.misaligned = 3 * unit;
          expect_moved(drawn);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, StreamedCopy, testing::Values(Isa::scalar, Isa::avx2, Isa::avx512),
                         [](const auto& isa) { return std::string(name_of(isa.param)); });

}  // namespace

}  // namespace tessera::kernels::streamed_copy_test
