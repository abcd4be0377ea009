#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "kernels/isa/casts.h"
#include "kernels/isa/column_walk.h"
#include "kernels/isa/merged_function_table.h"
#include "kernels/isa/row_folds.h"
#include "kernels/isa/vectors.h"

/// Sums of integers as f64, for means. Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

/// A type that holds the sum of kMostMergedRows numbers of type T.
template <class T>
struct SumType {
  using Type = int64_t;
};
template <>
struct SumType<int8_t> {
  using Type = int16_t;
};
template <>
struct SumType<uint8_t> {
  using Type = uint16_t;
};
template <>
struct SumType<bool> {
  using Type = uint16_t;
};
template <>
struct SumType<int16_t> {
  using Type = int32_t;
};
template <>
struct SumType<uint16_t> {
  using Type = uint32_t;
};

/// Merges a row by Sums, which sums strips of kFoldLanes elements lane by lane, and the lanes.
/// Stores the layout of MergedFunction::merged.
template <class Sums, class T>
Status merge_strips(const T* from, double* to, int64_t count) noexcept {
  for (; count >= kBlock; count -= kBlock, from += kBlock) {
    *to++ = Sums::sum_of_lanes(Sums::sum_of_strips(from, kBlock / kFoldLanes));
  }
  if (const int64_t num_strips = count / kFoldLanes; num_strips > 0) {
    const auto sums = Sums::sum_of_strips(from, num_strips);
    to = std::copy(sums.begin(), sums.end(), to);
    from += num_strips * kFoldLanes;
    count -= num_strips * kFoldLanes;
  }
  for (int64_t e = 0; e < count; ++e) {
    *to++ = static_cast<double>(element(from, e));
  }
  return Status::ok;
}

/// Sums of columns, first row to last, in registers.
template <class T, class Sum>
struct ColumnSums {
  static constexpr int64_t kInRegisters = 8 * Vectors<Sum>::kCount;

  /// Adds columns [first, first + count) of the rows to sums[0] and on; if `continues`, to the
  /// present sums.
  static void add(const void* const* rows, int64_t num_rows, int64_t first, int64_t count,
                  bool continues, Sum* sums) {
    const int64_t at_once = rows_at_once(rows, num_rows);
    for (int64_t row = 0; row < num_rows; row += at_once) {
      const int64_t together = std::min(at_once, num_rows - row);
      const bool adds = continues || row > 0;
      int64_t e = 0;
      for (; e + kInRegisters <= count; e += kInRegisters) {
        add_columns<kInRegisters>(rows + row, together, first + e, adds, sums + e);
      }
      for (; e < count; ++e) {
        add_columns<1>(rows + row, together, first + e, adds, sums + e);
      }
    }
  }

 private:
  template <int64_t kCount>
  static void add_columns(const void* const* rows, int64_t num_rows, int64_t first, bool continues,
                          Sum* sums) {
    std::array<Sum, kCount> lanes{};
    if (continues) {
      std::copy_n(sums, kCount, lanes.begin());
    }
    for (int64_t row = 0; row < num_rows; ++row) {
      const T* const from = static_cast<const T*>(rows[row]) + first;
      fetch_next(from, kCount);
      for (size_t lane = 0; lane < lanes.size(); ++lane) {
        lanes[lane] = static_cast<Sum>(lanes[lane] +
                                       static_cast<Sum>(element(from, static_cast<int64_t>(lane))));
      }
    }
    std::copy_n(lanes.begin(), kCount, sums);
  }
};

/// Integers of at most 32 bits. f64 holds every sum of a block of them exactly, so they are summed
/// as integers and converted once: the bits equal those of f64 summed in any order.
template <class T>
struct IntegerSums {
  using Sum = typename SumType<T>::Type;
  static constexpr int64_t kStrip = kFoldLanes;
  static_assert(sizeof(T) <= 4 && kBlock / kStrip <= kMostMergedRows);
  using Strip = std::array<Sum, kStrip>;
  /// Columns are summed in parts that stay in the first cache.
  static constexpr int64_t kColumns = (int64_t{32} << 10) / static_cast<int64_t>(sizeof(Sum));
  static constexpr double kExact = static_cast<double>(int64_t{1} << (53 - 8 * sizeof(T)));

  /// Implements MergedFunction::merged.
  static Status rows(const void* const* arguments, void* result, int64_t count) noexcept {
    return merge_strips<IntegerSums>(static_cast<const T*>(arguments[0]),
                                     static_cast<double*>(result), count);
  }

  /// Implements MergedFunction::merged_columns.
  static void columns(const void* const* rows, int64_t num_rows, int64_t count, bool continues,
                      void* results) noexcept {
    auto* const to = static_cast<double*>(results);
    if constexpr (sizeof(Sum) == sizeof(double)) {
      ColumnSums<T, double>::add(rows, num_rows, 0, count, continues, to);
    } else {
      std::array<Sum, kColumns> sums;
      for (int64_t first = 0; first < count; first += kColumns) {
        const int64_t columns = std::min(kColumns, count - first);
        ColumnSums<T, Sum>::add(rows, num_rows, first, columns, false, sums.data());
        for (int64_t e = 0; e < columns; ++e) {
          double& result = to[first + e];
          result = (continues ? result : 0) + static_cast<double>(sums[place(e)]);
        }
      }
    }
  }

  static Strip sum_of_strips(const T* from, int64_t num_strips) {
    Strip sums{};
    const bool fetches = fetches_ahead();
    for (int64_t strip = 0; strip < num_strips; ++strip) {
      if (fetches) {
        __builtin_prefetch(from + strip * kStrip + kAhead);
      }
      add(from + strip * kStrip, sums);
    }
    return sums;
  }

  static double sum_of_lanes(const Strip& sums) {
    int64_t sum = 0;
    for (const Sum lane : sums) {
      sum += lane;
    }
    return static_cast<double>(sum);
  }

 private:
  static size_t place(int64_t lane) { return static_cast<size_t>(lane); }

  /// Returns the value of an element. For bool any byte but 0 is true.
  static Sum value(const T* from, int64_t e) { return static_cast<Sum>(element(from, e)); }

  static void add(const T* from, Strip& sums) {
    for (int64_t lane = 0; lane < kStrip; ++lane) {
      sums[place(lane)] = static_cast<Sum>(sums[place(lane)] + value(from, lane));
    }
  }

  /// Prefetch distance, like that of a fold of rows.
  static constexpr int64_t kAhead = kBytesAhead / static_cast<int64_t>(sizeof(T));
};

/// Integers of 64 bits, which f64 rounds one by one and in their sums: they are summed like f64, in
/// the order of a fold.
template <class T>
struct RoundedSums {
  using Folded = Fold<code::Add, double>;
  static constexpr int64_t kStrip = kFoldLanes;
  using Strip = std::array<double, kStrip>;
  static constexpr double kExact = 0;

  /// Implements MergedFunction::merged.
  static Status rows(const void* const* arguments, void* result, int64_t count) noexcept {
    return merge_strips<RoundedSums>(static_cast<const T*>(arguments[0]),
                                     static_cast<double*>(result), count);
  }

  /// Implements MergedFunction::merged_columns.
  static void columns(const void* const* rows, int64_t num_rows, int64_t count, bool continues,
                      void* results) noexcept {
    ColumnSums<T, double>::add(rows, num_rows, 0, count, continues, static_cast<double*>(results));
  }

  static Strip sum_of_strips(const T* from, int64_t num_strips) {
    Strip sums;
    std::copy_n(from, kStrip, sums.begin());
    const bool fetches = fetches_ahead();
    for (int64_t strip = 1; strip < num_strips; ++strip) {
      const T* const next = from + strip * kStrip;
      for (int64_t line = 0; fetches && line < kStrip;
           line += 64 / static_cast<int64_t>(sizeof(T))) {
        __builtin_prefetch(next + line + kAhead);
      }
      for (size_t lane = 0; lane < sums.size(); ++lane) {
        sums[lane] += static_cast<double>(next[lane]);
      }
    }
    return sums;
  }

  static double sum_of_lanes(const Strip& sums) {
    typename Folded::Vector lanes[Folded::kVectors];
#pragma GCC unroll kUnrolled
    for (int64_t v = 0; v < Folded::kVectors; ++v) {
      lanes[v] = Folded::Lanes::load(sums.data() + v * Folded::kCount);
    }
    double sum = 0;
    Folded::halve(lanes, &sum);
    return sum;
  }

 private:
  /// Prefetch distance, like that of a fold of rows.
  static constexpr int64_t kAhead = kBytesAhead / static_cast<int64_t>(sizeof(T));
};

template <class T, class Sums>
constexpr MergedFunction sums_in_f64() {
  using Cast = Loop<expr::TESSERA_ISA::CastTo<double>, double, T>;
  return {code::Add::kName, &Cast::run, 0, &Sums::rows, &Sums::columns, Sums::kExact};
}

template <class T>
constexpr MergedFunction integer_sums() {
  return sums_in_f64<T, IntegerSums<T>>();
}

constexpr std::array<MergedFunction, 9> all_integer_sums() {
  return {integer_sums<bool>(),
          integer_sums<int8_t>(),
          integer_sums<uint8_t>(),
          integer_sums<int16_t>(),
          integer_sums<uint16_t>(),
          integer_sums<int32_t>(),
          integer_sums<uint32_t>(),
          sums_in_f64<int64_t, RoundedSums<int64_t>>(),
          sums_in_f64<uint64_t, RoundedSums<uint64_t>>()};
}

}  // namespace tessera::kernels::TESSERA_ISA
