#pragma once

#include "expr/functions/add.h"
#include "expr/functions/bitwise_and.h"
#include "expr/functions/bitwise_or.h"
#include "expr/functions/logical_and.h"
#include "expr/functions/logical_or.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/column_walk.h"
#include "kernels/isa/fold_table.h"
#include "kernels/isa/vectors.h"

/// The folds of columns: rows merged element by element, with the results in registers. Compiled
/// once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

/// The folds of one type. For truth values any byte but 0 is true.
template <class F, class T, bool kAreTruths = false>
struct Columns {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kCount = Lanes::kCount;
  static constexpr int64_t kVectors = 8;
  static constexpr int64_t kStrip = kVectors * kCount;

  static void run(const void* const* rows, int64_t num_rows, int64_t count,
                  void* results) noexcept {
    T* const to = static_cast<T*>(results);
    if (num_rows < 2 || rows_at_once(rows, num_rows) > 1) {
      return merge(rows, num_rows, count, to);
    }
    const T* merged = row_of(rows, 0);
    for (int64_t row = 1; row < num_rows; ++row, merged = to) {
      merge_row(merged, row_of(rows, row), count, to);
    }
  }

  /// Folds rows that are far apart, and may be short: as many registers of a row as it fills, with
  /// the next rows prefetched while these are merged.
  static void run_apart(const void* const* rows, int64_t num_rows, int64_t count, bool continues,
                        void* results) noexcept {
    T* const to = static_cast<T*>(results);
    int64_t e = fold_strips<kVectors>(rows, num_rows, 0, count, continues, to);
    e = fold_strips<kVectors / 2>(rows, num_rows, e, count, continues, to);
    e = fold_strips<kVectors / 4>(rows, num_rows, e, count, continues, to);
    e = fold_strips<1>(rows, num_rows, e, count, continues, to);
    if (e < count) {
      fold_rest(rows, num_rows, e, count - e, continues, to);
    }
  }

 private:
  static void merge(const void* const* rows, int64_t num_rows, int64_t count, T* to) {
    int64_t e = 0;
    for (; e + kStrip <= count; e += kStrip) {
      fold_strip<kVectors>(rows, num_rows, e, to);
    }
    for (; e + kCount <= count; e += kCount) {
      fold_strip<1>(rows, num_rows, e, to);
    }
    if (e < count) {
      fold_rest(rows, num_rows, e, count - e, false, to);
    }
  }

  static const T* row_of(const void* const* rows, int64_t row) {
    return static_cast<const T*>(rows[row]);
  }

  static Vector load(const T* from) {
    if constexpr (kAreTruths) {
      return expr::TESSERA_ISA::Minimum::apply(Lanes::load(from), Vector(T(1)));
    } else {
      return Lanes::load(from);
    }
  }

  static void merge_row(const T* merged, const T* row, int64_t count, T* to) {
    constexpr int64_t kTogether = 4 * kCount;
    int64_t e = 0;
    for (; e + kTogether <= count; e += kTogether) {
      fetch_next(row + e, kTogether);
#pragma GCC unroll 4
      for (int64_t v = 0; v < kTogether; v += kCount) {
        Lanes::store(to + e + v, F::apply(load(merged + e + v), load(row + e + v)));
      }
    }
    if (e < count) {
      const void* const rest[] = {merged + e, row + e};
      merge(rest, 2, count - e, to + e);
    }
  }

  template <int64_t kWide>
  static void fold_strip(const void* const* rows, int64_t num_rows, int64_t e, T* to) {
    Vector lanes[kWide];
#pragma GCC unroll 8
    for (int64_t v = 0; v < kWide; ++v) {
      lanes[v] = load(row_of(rows, 0) + e + v * kCount);
    }
    for (int64_t row = 1; row < num_rows; ++row) {
      const T* const from = row_of(rows, row) + e;
      fetch_next(from, kWide * kCount);
#pragma GCC unroll 8
      for (int64_t v = 0; v < kWide; ++v) {
        lanes[v] = F::apply(lanes[v], load(from + v * kCount));
      }
    }
#pragma GCC unroll 8
    for (int64_t v = 0; v < kWide; ++v) {
      Lanes::store(to + e + v * kCount, lanes[v]);
    }
  }

  /// Returns the first element that fills no whole strip.
  template <int64_t kWide>
  static int64_t fold_strips(const void* const* rows, int64_t num_rows, int64_t e, int64_t count,
                             bool continues, T* to) {
    for (; e + kWide * kCount <= count; e += kWide * kCount) {
      const T* const first = (continues ? to : row_of(rows, 0)) + e;
      Vector lanes[kWide];
#pragma GCC unroll 8
      for (int64_t v = 0; v < kWide; ++v) {
        lanes[v] = load(first + v * kCount);
      }
      for (int64_t row = continues ? 0 : 1; row < num_rows; ++row) {
        const T* const from = row_of(rows, row) + e;
#pragma GCC unroll 8
        for (int64_t v = 0; v < kWide; ++v) {
          lanes[v] = F::apply(lanes[v], load(from + v * kCount));
        }
      }
#pragma GCC unroll 8
      for (int64_t v = 0; v < kWide; ++v) {
        Lanes::store(to + e + v * kCount, lanes[v]);
      }
    }
    return e;
  }

  /// Folds less than a vector.
  static void fold_rest(const void* const* rows, int64_t num_rows, int64_t e, int64_t count,
                        bool continues, T* to) {
    T padded[kCount] = {};
    const auto load_part = [&](const T* row) {
      std::copy_n(row + e, count, padded);
      return load(padded);
    };
    Vector lanes = load_part(continues ? to : row_of(rows, 0));
    for (int64_t row = continues ? 0 : 1; row < num_rows; ++row) {
      lanes = F::apply(lanes, load_part(row_of(rows, row)));
    }
    Lanes::store(padded, lanes);
    std::copy_n(padded, count, to + e);
  }
};

/// The folds of complex numbers, whose parts are merged separately.
template <class F, class T>
struct ColumnsOfParts {
  static void run(const void* const* rows, int64_t num_rows, int64_t count,
                  void* results) noexcept {
    Columns<F, T>::run(rows, num_rows, 2 * count, results);
  }
  static void run_apart(const void* const* rows, int64_t num_rows, int64_t count, bool continues,
                        void* results) noexcept {
    Columns<F, T>::run_apart(rows, num_rows, 2 * count, continues, results);
  }
};

template <class F, class T>
constexpr ColumnEntry column_entry() {
  return {F::kName, kDType<T>, &Columns<F, T>::run, &Columns<F, T>::run_apart};
}

template <class F, class T>
constexpr ColumnEntry column_entry_of_parts() {
  using Folds = ColumnsOfParts<F, T>;
  return {F::kName, kDType<std::complex<T>>, &Folds::run, &Folds::run_apart};
}

/// Returns the entry of a function that is F on bytes of 0 and 1.
template <class Named, class F>
constexpr ColumnEntry column_entry_of_truth() {
  using Folds = Columns<F, uint8_t, true>;
  return {Named::kName, DType::b1, &Folds::run, &Folds::run_apart};
}

template <class T>
constexpr std::array<ColumnEntry, 4> columns_of() {
  namespace code = expr::TESSERA_ISA;
  return {column_entry<code::Add, T>(), column_entry<code::Multiply, T>(),
          column_entry<code::Maximum, T>(), column_entry<code::Minimum, T>()};
}

}  // namespace tessera::kernels::TESSERA_ISA
