#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/isa/position_loop_table.h"
#include "machine/isa.h"
#include "types/native.h"

/// The loops over positions of every instruction set, beside what they say one by one.
namespace tessera::kernels::position_loops_test {

namespace {

struct Mode {
  int64_t origin;
  int64_t extent;
  int64_t stride;
};
constexpr Mode kModes[] = {{0, 5, 8}, {2, 5, 12}, {0, 100, 1}, {3, 1, -16}, {0, 0, 4}};

/// Numbers that lie in a mode, of which one may be `outlier`.
template <class T>
std::vector<T> numbers_in(const Mode& mode, int64_t count, int64_t step, int64_t at, T outlier) {
  std::vector<T> numbers(static_cast<size_t>(count * step));
  for (int64_t row = 0; row < count; ++row) {
    const int64_t within = mode.extent == 0 ? 0 : row * 7 % mode.extent;
    numbers[static_cast<size_t>(row * step)] =
        row == at ? outlier : static_cast<T>(mode.origin + within);
  }
  return numbers;
}

template <class T>
bool is_in(const Mode& mode, T number) {
  const bool fits = number <= T{0} || static_cast<uint64_t>(number) <= uint64_t{1} << 62;
  const auto wide = static_cast<int64_t>(number);
  return fits && wide >= mode.origin && wide < mode.origin + mode.extent;
}

template <class T>
void check(const PositionLoops& loops, const Mode& mode, const std::vector<T>& numbers,
           int64_t step) {
  const auto count = static_cast<int64_t>(numbers.size()) / step;
  const Positions positions{numbers.data(), step, count, mode.origin, mode.extent, mode.stride};
  bool expected = true;
  std::vector<int64_t> set(static_cast<size_t>(count), -1);
  std::vector<int64_t> added(static_cast<size_t>(count), 1000);
  for (int64_t row = 0; row < count; ++row) {
    expected = expected && is_in(mode, numbers[static_cast<size_t>(row * step)]);
  }
  EXPECT_EQ(loops.are_inside(positions), expected);
  EXPECT_EQ(loops.set(positions, 40, 3, set.data()), expected);
  EXPECT_EQ(loops.add(positions, added.data()), expected);
  for (int64_t row = 0; row < count && expected; ++row) {
    const auto number = static_cast<int64_t>(numbers[static_cast<size_t>(row * step)]);
    const int64_t place = (number - mode.origin) * mode.stride;
    ASSERT_EQ(set[static_cast<size_t>(row)], 40 + 3 * row + place);
    ASSERT_EQ(added[static_cast<size_t>(row)], 1000 + place);
  }
}

template <class T>
void check_all(const PositionLoops& loops) {
  using Limits = std::numeric_limits<T>;
  for (const Mode& mode : kModes) {
    for (const int64_t count : {0, 1, 7, 8, 33, 100}) {
      for (const int64_t step : {1, 3}) {
        check(loops, mode, numbers_in<T>(mode, count, step, -1, T{}), step);
        for (const T outlier : {T(mode.origin - 1), T(mode.origin + mode.extent), Limits::min(),
                                Limits::max(), T(mode.origin)}) {
          check(loops, mode, numbers_in<T>(mode, count, step, count - 1, outlier), step);
        }
      }
    }
  }
}

TEST(PositionLoops, PlaceWhatLiesInsideAndFindWhatDoesNot) {
  int num_loops = 0;
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    for (const PositionLoops& loops : position_loops(std::min(isa, widest_isa()))) {
      visit_storage_type(loops.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          check_all<T>(loops);
          ++num_loops;
        }
      });
    }
  }
  EXPECT_EQ(num_loops, 3 * 8);
}

}  // namespace

}  // namespace tessera::kernels::position_loops_test
