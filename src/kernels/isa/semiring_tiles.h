#pragma once

#include "kernels/isa/semiring_steps.h"
#include "kernels/isa/semiring_table.h"
#include "kernels/isa/special_values.h"

/// The register tiles of semiring products. Compiled once per instruction set, like the block
/// loops; the rounding of a fused multiply-add is the same on all of them.
namespace tessera::kernels::TESSERA_ISA {

/// `kRows` * `kBatches` running values stay in registers: 24 of 32 with AVX-512, 12 of 16 with
/// AVX2.
#ifdef TESSERA_ISA_BATCHES
inline constexpr int64_t kRows = xsimd::batch<float>::size == 16 ? 6 : 3;
#else
inline constexpr int64_t kRows = 4;
#endif
inline constexpr int64_t kBatches = 4;

/// The positions that are added one by one before they are added pairwise.
inline constexpr int64_t kLeaf = 16;
inline constexpr int64_t kLevels = 4;  // of leaves in a tile's depth
static_assert(kLeaf << kLevels == kSemiringDepth);

/// The running values of a tile.
template <class Vector>
struct Running {
  Vector at[kRows][kBatches];

  /// Calls `act` for every row and batch, unrolled.
  template <class Act>
  [[gnu::always_inline]] static void each(const Act& act) {
#pragma GCC unroll 8
    for (int64_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 8
      for (int64_t batch = 0; batch < kBatches; ++batch) {
        act(row, batch);
      }
    }
  }
  [[gnu::always_inline]] void add(const Running& other) {
    each([&](int64_t row, int64_t batch) {
      at[row][batch] = other.at[row][batch] + at[row][batch];
    });
  }
};

/// Returns the value if it is a number, else the other.
template <class Vector>
Vector or_else(Vector value, Vector other) {
#ifdef TESSERA_ISA_BATCHES
  return xsimd::select(value == value, value, other);
#else
  return value == value ? value : other;
#endif
}

template <class T, class Step, SemiringWeights kWeights>
struct Chain {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kColumns = kBatches * Lanes::kCount;
  static constexpr int64_t kWeightStep = kWeights == SemiringWeights::of_rows      ? kRows
                                         : kWeights == SemiringWeights::of_columns ? kColumns
                                                                                   : 0;

  /// Merges `depth` > 0 positions from position `first` on.
  [[gnu::always_inline]] static void run(const SemiringPanels& panels, int64_t first, int64_t depth,
                                         Running<Vector>& merged) {
    const T* left = static_cast<const T*>(panels.a) + first * kRows;
    const T* right = static_cast<const T*>(panels.b) + first * kColumns;
    const T* weights = static_cast<const T*>(panels.weights) + first * kWeightStep;
    position(left, right, weights, [&](int64_t row, int64_t batch, auto... values) {
      merged.at[row][batch] = Step::first(values...);
    });
    for (int64_t d = 1; d < depth; ++d) {
      position(left + d * kRows, right + d * kColumns, weights + d * kWeightStep,
               [&](int64_t row, int64_t batch, auto... values) {
                 merged.at[row][batch] = Step::next(merged.at[row][batch], values...);
               });
    }
  }

 private:
  /// Calls `take` with the operands at one position.
  template <class Take>
  [[gnu::always_inline]] static void position(const T* left, const T* right, const T* weights,
                                              const Take& take) {
    Vector columns[kBatches];
#pragma GCC unroll 8
    for (int64_t batch = 0; batch < kBatches; ++batch) {
      columns[batch] = Lanes::load(right + batch * Lanes::kCount);
    }
#pragma GCC unroll 8
    for (int64_t row = 0; row < kRows; ++row) {
      const Vector repeated(left[row]);
#pragma GCC unroll 8
      for (int64_t batch = 0; batch < kBatches; ++batch) {
        if constexpr (kWeights == SemiringWeights::none) {
          take(row, batch, repeated, columns[batch]);
        } else if constexpr (kWeights == SemiringWeights::of_rows) {
          take(row, batch, repeated, columns[batch], Vector(weights[row]));
        } else {
          take(row, batch, repeated, columns[batch], Lanes::load(weights + batch * Lanes::kCount));
        }
      }
    }
  }
};

template <class T, class Join, class OfJoin, class Merge, SemiringWeights kWeights>
struct Tile {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kColumns = kBatches * Lanes::kCount;

  /// Runs the tile. `Within` is Merge, or a function that is as good within a tile.
  template <class Within>
  static void run(const SemiringPanels& panels, const SemiringTarget& target) noexcept {
    using Positions = Chain<T, Step<T, Join, OfJoin, Within>, kWeights>;
    Running<Vector> merged;
    if constexpr (kSumsRound<T, Merge>) {
      sum_leaves<Positions>(panels, merged);
    } else {
      Positions::run(panels, 0, panels.depth, merged);
    }
    store(merged, target);
  }

 private:
  /// Adds leaves like a binary counter: a sum of 2^level leaves waits at its level for the next.
  template <class Positions>
  [[gnu::always_inline]] static void sum_leaves(const SemiringPanels& panels,
                                                Running<Vector>& merged) {
    Running<Vector> waiting[kLevels];
    const int64_t last = (panels.depth - 1) / kLeaf;
    for (int64_t leaf = 0; leaf < last; ++leaf) {
      Positions::run(panels, leaf * kLeaf, kLeaf, merged);
      int64_t level = 0;
      for (; (leaf >> level & 1) != 0; ++level) {
        merged.add(waiting[level]);
      }
      waiting[level] = merged;
    }
    Positions::run(panels, last * kLeaf, panels.depth - last * kLeaf, merged);
    for (int64_t level = 0; last >> level != 0; ++level) {
      if ((last >> level & 1) != 0) {
        merged.add(waiting[level]);
      }
    }
  }

  [[gnu::always_inline]] static void store(const Running<Vector>& merged,
                                           const SemiringTarget& target) {
    Running<Vector>::each([&](int64_t row, int64_t batch) {
      const int64_t lane = batch * Lanes::kCount;
      T* const to = static_cast<T*>(target.c) + row * target.c_step + lane;
      Vector value = merged.at[row][batch];
      if constexpr (kSumsRound<T, Merge>) {
        if (target.lost != nullptr) {
          value =
              add_exactly(target, to, value, static_cast<T*>(target.lost) + row * kColumns + lane);
        } else if (target.adds_to_c) {
          value = Lanes::load(to) + value;
        }
      } else if (target.adds_to_c) {
        value = Merge::apply(Lanes::load(to), value);
      }
      Lanes::store(to, value);
    });
  }

  /// Returns c + value, and adds its rounding loss (Knuth, TAOCP 2, 4.2.2, theorem B). If a sum has
  /// overflowed or is infinite, the loss is NaN from then on, and is not added.
  static Vector add_exactly(const SemiringTarget& target, const T* c, Vector value, T* lost) {
    if (!target.adds_to_c) {
      return value;
    }
    const Vector before = Lanes::load(c);
    const Vector sum = before + value;
    const Vector added = sum - before;
    const Vector rest = Lanes::load(lost) + ((before - (sum - added)) + (value - added));
    if (!target.returns_lost) {
      Lanes::store(lost, rest);
      return sum;
    }
    return or_else(sum + rest, sum);
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

template <class T, class Join, class OfJoin, class Merge,
          SemiringWeights kWeights = SemiringWeights::none>
constexpr SemiringEntry semiring_entry() {
  using Made = Tile<T, Join, OfJoin, Merge, kWeights>;
  SemiringEntry entry;
  entry.join = name_of_function<Join>();
  entry.of_join = name_of_function<OfJoin>();
  entry.merge = name_of_function<Merge>();
  entry.weights = kWeights;
  entry.type = kDType<T>;
  entry.rows = kRows;
  entry.columns = Made::kColumns;
  entry.tile = &Made::template run<Merge>;
  entry.ordinary_tile = entry.tile;
  entry.special_values = look_for_special<T>();
  if constexpr (std::is_floating_point_v<T>) {
    entry.ordinary_tile = &Made::template run<typename OnOrdinary<Merge>::type>;
  }
  entry.sums_round = kSumsRound<T, Merge>;
  return entry;
}

}  // namespace tessera::kernels::TESSERA_ISA
