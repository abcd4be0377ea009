#pragma once

#include <array>

#include "expr/functions/abs.h"
#include "expr/functions/add.h"
#include "expr/functions/bitwise_and.h"
#include "expr/functions/bitwise_or.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "expr/functions/square.h"
#include "expr/functions/subtract.h"
#include "expr/fused_multiply_add.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/direct_table.h"
#include "kernels/isa/vectors.h"

/// The tiles of direct convolutions, from the element code of expr/functions/ on batches (on single
/// elements if the instruction set has none). Compiled once per instruction set, like the block
/// loops.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

struct AsItIs {
  template <class T>
  static T apply(T x) {
    return x;
  }
};

/// The application of a pair of functions, and its names.
template <class T, class Join, class OfJoin, class Merge>
struct DirectPair {
  static constexpr bool kIsFused =
      std::is_floating_point_v<T> && std::is_same_v<Join, code::Multiply> &&
      std::is_same_v<OfJoin, AsItIs> && std::is_same_v<Merge, code::Add>;

  template <class Vector>
  [[gnu::always_inline]] static Vector join(Vector x, Vector y) {
    return OfJoin::apply(Join::apply(x, y));
  }
  template <class Vector>
  [[gnu::always_inline]] static Vector merge(Vector merged, Vector x, Vector y) {
    if constexpr (kIsFused) {
      return expr::TESSERA_ISA::fused_multiply_add(x, y, merged);
    } else {
      return Merge::apply(merged, join(x, y));
    }
  }
  template <class Vector>
  static Vector merge_results(Vector before, Vector merged) {
    return Merge::apply(before, merged);
  }

  static constexpr DirectEntry entry() {
    DirectEntry entry;
    entry.join = Join::kName;
    entry.merge = Merge::kName;
    entry.type = kDType<T>;
    entry.step_functions = kIsFused ? 1 : 2;
    if constexpr (!std::is_same_v<OfJoin, AsItIs>) {
      entry.of_join = OfJoin::kName;
      entry.step_functions = 3;
    }
    return entry;
  }
};

/// A tile whose running values, kRows * kVectors vectors, stay in registers.
template <class T, class Pair, DirectKind kKind, int64_t kRows, int64_t kVectors>
struct DirectTileOf {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kColumns = kVectors * Lanes::kCount;

  static void run(const void* x, const void* y, const DirectWork& work, void* out) noexcept {
    const T* const left = static_cast<const T*>(x);
    const T* const right = static_cast<const T*>(y);
    Vector merged[kRows][kVectors];
    join_all(left, right, work.taps[0], work,
             [&](int64_t row, int64_t v, Vector of_x, Vector of_y) {
               merged[row][v] = Pair::join(of_x, of_y);
             });
    for (int64_t t = 1; t < work.num_taps; ++t) {
      join_all(left, right, work.taps[t], work,
               [&](int64_t row, int64_t v, Vector of_x, Vector of_y) {
                 merged[row][v] = Pair::merge(merged[row][v], of_x, of_y);
               });
    }
#pragma GCC unroll 8
    for (int64_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        T* const to = static_cast<T*>(out) + row * work.out_row_step + v * Lanes::kCount;
        const Vector value = merged[row][v];
        Lanes::store(to, work.adds_to_out ? Pair::merge_results(Lanes::load(to), value) : value);
      }
    }
  }

 private:
  template <class Take>
  [[gnu::always_inline]] static void join_all(const T* left, const T* right, const DirectTap& tap,
                                              const DirectWork& work, const Take& take) {
    left += tap.x;
    right += tap.y;
    Vector columns[kVectors];
    if constexpr (kKind != DirectKind::repeat) {
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        columns[v] = Lanes::load((kKind == DirectKind::outer ? left : right) + v * Lanes::kCount);
      }
    } else {
      columns[0] = Vector(right[0]);
    }
#pragma GCC unroll 8
    for (int64_t row = 0; row < kRows; ++row) {
      if constexpr (kKind == DirectKind::outer) {
        const Vector repeated(right[row * work.y_row_step]);
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v) {
          take(row, v, columns[v], repeated);
        }
      } else {
        const T* const line = left + row * work.x_row_step;
#pragma GCC unroll 4
        for (int64_t v = 0; v < kVectors; ++v) {
          take(row, v, Lanes::load(line + v * Lanes::kCount),
               columns[kKind == DirectKind::repeat ? 0 : v]);
        }
      }
    }
  }
};

template <class T, class Pair, DirectKind kKind, int64_t kRows, int64_t kVectors>
constexpr DirectEntry direct_entry() {
  using Made = DirectTileOf<T, Pair, kKind, kRows, kVectors>;
  DirectEntry entry = Pair::entry();
  entry.kind = kKind;
  entry.rows = kRows;
  entry.columns = Made::kColumns;
  entry.run = &Made::run;
  return entry;
}

template <class T, class Pair, DirectKind kKind, int64_t kRows>
constexpr auto rows_of() {
  return std::array{direct_entry<T, Pair, kKind, kRows, 1>(),
                    direct_entry<T, Pair, kKind, kRows, 2>()};
}

/// Joins several arrays.
template <class... Entries>
constexpr auto joined_entries(const Entries&... some) {
  std::array<DirectEntry, (std::tuple_size_v<Entries> + ...)> all;
  size_t next = 0;
  const auto append = [&](const auto& entries) {
    for (const DirectEntry& entry : entries) {
      all[next++] = entry;
    }
  };
  (append(some), ...);
  return all;
}

/// Returns the tiles of any pair.
template <class T, class Pair>
constexpr auto few_tiles() {
  return joined_entries(
      rows_of<T, Pair, DirectKind::outer, 1>(), rows_of<T, Pair, DirectKind::outer, 4>(),
      rows_of<T, Pair, DirectKind::repeat, 1>(), rows_of<T, Pair, DirectKind::repeat, 4>(),
      rows_of<T, Pair, DirectKind::lanes, 1>(), rows_of<T, Pair, DirectKind::lanes, 4>());
}

/// Returns the tiles of sums of products, the most frequent convolutions: tiles for any few
/// filters.
template <class T>
constexpr auto product_tiles() {
  using Pair = DirectPair<T, code::Multiply, AsItIs, code::Add>;
  return joined_entries(few_tiles<T, Pair>(), rows_of<T, Pair, DirectKind::outer, 2>(),
                        rows_of<T, Pair, DirectKind::outer, 3>(),
                        rows_of<T, Pair, DirectKind::outer, 5>(),
                        rows_of<T, Pair, DirectKind::outer, 6>());
}

/// The pairs that matter beside: dilation and erosion of grey values, and distances of a template.
template <class T>
constexpr auto other_tiles() {
  return joined_entries(few_tiles<T, DirectPair<T, code::Add, AsItIs, code::Minimum>>(),
                        few_tiles<T, DirectPair<T, code::Add, AsItIs, code::Maximum>>(),
                        few_tiles<T, DirectPair<T, code::Multiply, AsItIs, code::Maximum>>(),
                        few_tiles<T, DirectPair<T, code::Multiply, AsItIs, code::Minimum>>(),
                        few_tiles<T, DirectPair<T, code::Subtract, code::Abs, code::Add>>(),
                        few_tiles<T, DirectPair<T, code::Subtract, code::Abs, code::Maximum>>(),
                        few_tiles<T, DirectPair<T, code::Subtract, code::Square, code::Add>>());
}

}  // namespace tessera::kernels::TESSERA_ISA
