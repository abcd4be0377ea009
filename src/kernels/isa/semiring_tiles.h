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
#include "kernels/isa/block_entries.h"
#include "kernels/isa/semiring_table.h"
#include "kernels/isa/vectors.h"

/// The tiles of semiring products, from the element code of expr/functions/ on batches (on single
/// elements where the instruction set has none). Compiled once per instruction set, as the block
/// loops are.
namespace tessera::kernels::TESSERA_ISA {

/// `kRows` * `kBatches` running values stay in registers: 16 of 32 with AVX-512, 8 of 16 with AVX2.
#ifdef TESSERA_ISA_BATCHES
inline constexpr int64_t kRows = xsimd::batch<float>::size == 16 ? 8 : 4;
inline constexpr int64_t kBatches = 2;
#else
inline constexpr int64_t kRows = 4;
inline constexpr int64_t kBatches = 4;
#endif

namespace code = expr::TESSERA_ISA;

struct Itself {
  template <class T>
  static T apply(T x) {
    return x;
  }
};

template <class F>
struct OnOrdinary {
  using type = F;
};

#ifdef TESSERA_ISA_BATCHES
/// One instruction: which of two zeros and what of NaN does not matter.
struct OrdinaryMaximum {
  template <class V>
  static V apply(V x, V y) {
    return xsimd::max(x, y);
  }
};
struct OrdinaryMinimum {
  template <class V>
  static V apply(V x, V y) {
    return xsimd::min(x, y);
  }
};
template <>
struct OnOrdinary<code::Maximum> {
  using type = OrdinaryMaximum;
};
template <>
struct OnOrdinary<code::Minimum> {
  using type = OrdinaryMinimum;
};
#endif

template <class T, class Join, class OfJoin, class Merge>
struct Tile {
  using Vector = typename Vectors<T>::Type;
  static constexpr int64_t kColumns = kBatches * Vectors<T>::kCount;

  template <class Within>
  static void run(const void* a, const void* b, int64_t depth, void* c, int64_t c_step,
                  bool adds_to_c) noexcept {
    const T* left = static_cast<const T*>(a);
    const T* right = static_cast<const T*>(b);
    Vector merged[kRows][kBatches];
    join_all(left, right,
             [&](int64_t row, int64_t batch, Vector value) { merged[row][batch] = value; });
    for (int64_t d = 1; d < depth; ++d) {
      join_all(left + d * kRows, right + d * kColumns,
               [&](int64_t row, int64_t batch, Vector value) {
                 merged[row][batch] = Within::apply(merged[row][batch], value);
               });
    }
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t batch = 0; batch < kBatches; ++batch) {
        T* const to = static_cast<T*>(c) + row * c_step + batch * Vectors<T>::kCount;
        const Vector value = merged[row][batch];
        Vectors<T>::store(to, adds_to_c ? Merge::apply(Vectors<T>::load(to), value) : value);
      }
    }
  }

 private:
  /// Calls `take` with every joined value of one position of the depth.
  template <class Take>
  [[gnu::always_inline]] static void join_all(const T* left, const T* right, const Take& take) {
    Vector columns[kBatches];
#pragma GCC unroll 8
    for (int64_t batch = 0; batch < kBatches; ++batch) {
      columns[batch] = Vectors<T>::load(right + batch * Vectors<T>::kCount);
    }
#pragma GCC unroll 8
    for (int64_t row = 0; row < kRows; ++row) {
      const Vector repeated(left[row]);
#pragma GCC unroll 8
      for (int64_t batch = 0; batch < kBatches; ++batch) {
        take(row, batch, OfJoin::apply(Join::apply(repeated, columns[batch])));
      }
    }
  }
};

template <class F>
constexpr const char* name_of_function() {
  if constexpr (std::is_same_v<F, Itself>) {
    return nullptr;
  } else {
    return F::kName;
  }
}

template <class T, class Join, class OfJoin, class Merge>
constexpr SemiringEntry semiring_entry() {
  using Made = Tile<T, Join, OfJoin, Merge>;
  SemiringEntry entry;
  entry.join = name_of_function<Join>();
  entry.of_join = name_of_function<OfJoin>();
  entry.merge = name_of_function<Merge>();
  entry.type = kDType<T>;
  entry.rows = kRows;
  entry.columns = Made::kColumns;
  entry.tile = &Made::template run<Merge>;
  entry.ordinary_tile = entry.tile;
  if constexpr (std::is_floating_point_v<T>) {
    entry.ordinary_tile = &Made::template run<typename OnOrdinary<Merge>::type>;
  }
  return entry;
}

/// The pairs that matter: tropical and bottleneck paths, distances of three norms, products of
/// integers (of floats, gemm).
template <class T>
constexpr auto semirings_of() {
  return std::array{semiring_entry<T, code::Add, Itself, code::Minimum>(),
                    semiring_entry<T, code::Add, Itself, code::Maximum>(),
                    semiring_entry<T, code::Multiply, Itself, code::Maximum>(),
                    semiring_entry<T, code::Multiply, Itself, code::Minimum>(),
                    semiring_entry<T, code::Minimum, Itself, code::Maximum>(),
                    semiring_entry<T, code::Maximum, Itself, code::Minimum>(),
                    semiring_entry<T, code::Subtract, code::Abs, code::Add>(),
                    semiring_entry<T, code::Subtract, code::Abs, code::Maximum>(),
                    semiring_entry<T, code::Subtract, code::Square, code::Add>()};
}

}  // namespace tessera::kernels::TESSERA_ISA
