#pragma once

#include "kernels/isa/exponential.h"
#include "kernels/isa/semiring_tiles.h"

/// The register tiles of logsumexp over a join: first the largest joined value of a part of the
/// depth, then the sum of exp(value - largest). Compiled once per instruction set, like the block
/// loops.
namespace tessera::kernels::TESSERA_ISA {

/// The share of a value if neither it nor the largest is infinite.
template <class T>
struct OrdinaryShare {
  template <class Vector>
  static Vector of(Vector x, Vector largest) {
    return exponential_of_nonpositive<T>(x - largest);
  }
};

template <class T, class Join>
struct LogSumExpTile {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kColumns = kBatches * Lanes::kCount;

  template <class Maximum, class ShareOf>
  static void run(const SemiringPanels& panels, const SemiringTarget& target) noexcept {
    using Positions = Chain<T, Step<T, Join, Itself, Maximum>, SemiringWeights::none>;
    Running<Vector> largest;
    Positions::run(panels, 0, panels.depth, largest);
    for (int64_t row = 0; row < kRows; ++row) {
      Vector sums[kBatches];
      sum_row<ShareOf>(panels, row, largest.at[row], sums);
      for (int64_t batch = 0; batch < kBatches; ++batch) {
        store(largest.at[row][batch], sums[batch], target,
              row * target.c_step + batch * Lanes::kCount);
      }
    }
  }

 private:
  /// Sums a row leaf after leaf, so that rounding does not grow with the depth.
  template <class ShareOf>
  [[gnu::always_inline]] static void sum_row(const SemiringPanels& panels, int64_t row,
                                             const Vector (&largest)[kBatches],
                                             Vector (&sums)[kBatches]) {
    const T* const left = static_cast<const T*>(panels.a) + row;
    const T* const right = static_cast<const T*>(panels.b);
    for (Vector& sum : sums) {
      sum = Vector(T(0));
    }
    for (int64_t first = 0; first < panels.depth; first += kLeaf) {
      const int64_t last = first + kLeaf < panels.depth ? first + kLeaf : panels.depth;
      Vector leaf[kBatches];
      for (Vector& sum : leaf) {
        sum = Vector(T(0));
      }
      for (int64_t d = first; d < last; ++d) {
        const Vector repeated(left[d * kRows]);
#pragma GCC unroll 8
        for (int64_t batch = 0; batch < kBatches; ++batch) {
          const Vector column = Lanes::load(right + d * kColumns + batch * Lanes::kCount);
          leaf[batch] = leaf[batch] + ShareOf::of(Join::apply(repeated, column), largest[batch]);
        }
      }
      for (int64_t batch = 0; batch < kBatches; ++batch) {
        sums[batch] = sums[batch] + leaf[batch];
      }
    }
  }

  static void store(Vector largest, Vector sum, const SemiringTarget& target, int64_t at) {
    T* const to = static_cast<T*>(target.c) + at;
    T* const to_sum = static_cast<T*>(target.sums) + at;
    if (target.adds_to_c) {
      const Vector before = Lanes::load(to);
      const Vector both = code::Maximum::apply(before, largest);
      sum = Lanes::load(to_sum) * Share<T>::of(before, both) + sum * Share<T>::of(largest, both);
      largest = both;
    }
    Lanes::store(to, largest);
    Lanes::store(to_sum, sum);
  }
};

template <class T, class Join>
constexpr SemiringEntry logsumexp_entry() {
  using Made = LogSumExpTile<T, Join>;
  SemiringEntry entry;
  entry.join = Join::kName;
  entry.merge = kLogSumExp;
  entry.type = kDType<T>;
  entry.rows = kRows;
  entry.columns = Made::kColumns;
  entry.tile = &Made::template run<code::Maximum, Share<T>>;
  entry.ordinary_tile =
      &Made::template run<typename OnOrdinary<code::Maximum>::type, OrdinaryShare<T>>;
  entry.special_values = look_for_special<T>();
  entry.num_states = 2;
  return entry;
}

}  // namespace tessera::kernels::TESSERA_ISA
