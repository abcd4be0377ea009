#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/drawn.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// argmax and argmin against a loop, of every ordered type, where elements are neighbours along the
/// reduced label, along a kept one, or along none.
namespace tessera::kernels::best_position_test {
namespace {

constexpr DType kTypes[] = {DType::b1,   DType::i8,  DType::i16, DType::i32, DType::i64,
                            DType::u8,   DType::u16, DType::u32, DType::u64, DType::f16,
                            DType::bf16, DType::f32, DType::f64};

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || !std::is_integral_v<T>;

/// What a stored element is worth.
template <class T>
double number_of(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

/// Many equal elements; of floats also both zeros, infinities and, where asked for, NaNs.
template <class T>
void fill_with_ties(const TileView& view, int64_t count, bool has_nan, std::mt19937_64& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int64_t element = 0; element < count; ++element) {
    const uint64_t drawn = random();
    T& to = view.as<T>()[element];
    to = TestTile::number_as<T>(static_cast<int64_t>(drawn % 7) - (std::is_unsigned_v<T> ? 0 : 3));
    if constexpr (kIsFloat<T>) {
      const uint64_t kind = (drawn >> 20U) % 1000;
      to = kind < 100               ? T(-0.0F)
           : kind == 101            ? T(-kInfinity)
           : has_nan && kind == 102 ? T(std::copysign(std::numeric_limits<float>::quiet_NaN(),
                                                      drawn % 2 == 0 ? 1.0F : -1.0F))
                                    : to;
    }
  }
}

struct Layout {
  const char* name;
  const char* access;  // of labels i (kept), j (reduced) and k (kept)
  Shape shape;
  std::array<int64_t, 3> step;  // of i, j and k
};

/// More columns and longer rows than are looked at once, and more rows than an i8 numbers.
std::vector<Layout> layouts() {
  constexpr int64_t kKept = 3;
  constexpr int64_t kReduced = 20011;
  return {{"rows", "x0[i,k,j]", {kKept, 2, kReduced}, {2 * kReduced, 1, kReduced}},
          {"apart", "x0[j,i,k]", {kReduced, kKept, 2}, {2, 2 * kKept, 1}}};
}

/// More than are looked at at once, of most types.
constexpr int64_t kColumns = 17000;

Layout columns() {
  return {"columns", "x0[i,j,k]", {1, 300, kColumns}, {300 * kColumns, kColumns, 1}};
}

bool is_better(double one, double other, bool largest) {
  if (std::isnan(one) || std::isnan(other)) {
    return std::isnan(one) && !std::isnan(other);
  }
  return largest ? one > other : one < other;
}

void expect_positions(const Layout& layout, const std::array<int64_t, 3>& extent, DType dtype,
                      bool largest, bool has_nan) {
  const std::string text =
      fmt::format("[i={},j={},k={}] ({}) (o0,o1)[i,k] = {}[j] ({}, index(j))", extent[0], extent[1],
                  extent[2], name_of(dtype), largest ? "argmax" : "argmin", layout.access);
  const expr::TileProgram program =
      expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}}, expr::all_functions());
  std::mt19937_64 random(static_cast<uint64_t>(dtype) + (largest ? 100 : 0));
  const TestTile tile(dtype, whole(layout.shape));
  const Kernel& kernel = *all_kernels().find("best_position");
  visit_storage_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, std::complex<float>> &&
                  !std::is_same_v<T, std::complex<double>>) {
      fill_with_ties<T>(tile.view(), tile.count(), has_nan, random);
      const CallShape shape{{{0, extent[0]}, {0, extent[1]}, {0, extent[2]}}};
      const Outcome outcome = run_kernel(kernel, program, shape, {tile.view()});
      for (int64_t out = 0; out < extent[0] * extent[2]; ++out) {
        const T* const first = tile.view().as<T>() + out / extent[2] * layout.step[0] +
                               out % extent[2] * layout.step[2];
        int64_t best = 0;
        for (int64_t j = 1; j < extent[1]; ++j) {
          const bool comes_first = is_better(number_of(first[j * layout.step[1]]),
                                             number_of(first[best * layout.step[1]]), largest);
          best = comes_first ? j : best;
        }
        ASSERT_EQ(outcome.outputs[1].view().as<int64_t>()[out], best)
            << layout.name << ": " << text << " at " << out;
        const double value = number_of(outcome.outputs[0].view().as<T>()[out]);
        const double expected = number_of(first[best * layout.step[1]]);
        ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected)))
            << layout.name << ": " << text << " at " << out;
      }
    }
  });
}

TEST(BestPosition, IsTheFirstOfTheBestOfEveryType) {
  for (const DType dtype : kTypes) {
    for (const bool largest : {true, false}) {
      for (const bool has_nan : {false, true}) {
        for (const Layout& layout : layouts()) {
          expect_positions(layout, {3, 20011, 2}, dtype, largest, has_nan);
        }
        if (kOneOfDrawn == 1 || largest == has_nan) {
          expect_positions(columns(), {1, 300, kColumns}, dtype, largest, has_nan);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera::kernels::best_position_test
