#pragma once

#include <limits>

#include "kernels/isa/exponential.h"
#include "kernels/isa/row_folds.h"

/// The folds of rows by logsumexp: the largest element of a row, then the sum of all shares, in the
/// lanes of other folds. Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

template <class T>
struct LogSumExpRows {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  using Sums = Fold<code::Add, T>;
  static constexpr int64_t kCount = Lanes::kCount;
  static constexpr int64_t kVectors = Sums::kVectors;

  static void run(const void* largest, const void* sums, int64_t rows, int64_t length,
                  void* merged_largest, void* merged_sums) noexcept {
    constexpr T kLowest = -std::numeric_limits<T>::infinity();
    const T* row = static_cast<const T*>(largest);
    const T* of_row = static_cast<const T*>(sums);
    T* const to_largest = static_cast<T*>(merged_largest);
    T* const to_sum = static_cast<T*>(merged_sums);
    for (int64_t r = 0; r < rows; ++r, row += length) {
      Fold<code::Maximum, T>::run(row, 1, length, &kLowest, to_largest + r);
      if (of_row == nullptr) {
        add_shares<false>(row, nullptr, length, to_largest[r], to_sum + r);
      } else {
        add_shares<true>(row, of_row, length, to_largest[r], to_sum + r);
        of_row += length;
      }
    }
  }

 private:
  template <bool kHasSums>
  static Vector shares(const T* x, const T* sums, Vector largest) {
    const Vector share = Share<T>::of(Lanes::load(x), largest);
    if constexpr (kHasSums) {
      return Lanes::load(sums) * share;
    } else {
      return share;
    }
  }

  /// Returns the shares of less than a register: the other lanes have none.
  template <bool kHasSums>
  static Vector few_shares(const T* x, const T* sums, int64_t count, T largest) {
    T values[kCount];
    T weights[kCount] = {};
    Lanes::store(values, Vector(largest));
    std::copy_n(x, count, values);
    if constexpr (kHasSums) {
      std::copy_n(sums, count, weights);
    } else {
      std::fill_n(weights, count, T(1));
    }
    return shares<true>(values, weights, Vector(largest));
  }

  template <bool kHasSums>
  static void add_shares(const T* x, const T* sums, int64_t length, T largest, T* result) {
    const auto sums_at = [sums](int64_t e) { return kHasSums ? sums + e : nullptr; };
    const Vector repeated(largest);
    Vector lanes[kVectors];
#pragma GCC unroll kUnrolled
    for (int64_t v = 0; v < kVectors; ++v) {
      lanes[v] = Vector(T(0));
    }
    int64_t first = 0;
    for (; first + kFoldLanes <= length; first += kFoldLanes) {
#pragma GCC unroll kUnrolled
      for (int64_t v = 0; v < kVectors; ++v) {
        const int64_t e = first + v * kCount;
        lanes[v] = lanes[v] + shares<kHasSums>(x + e, sums_at(e), repeated);
      }
    }
    for (int64_t v = 0; first < length; ++v, first += kCount) {
      const int64_t count = std::min(kCount, length - first);
      lanes[v] = lanes[v] + few_shares<kHasSums>(x + first, sums_at(first), count, largest);
    }
    Sums::halve(lanes, result);
  }
};

template <class T>
constexpr LogSumExpFold logsumexp_fold() {
  return {kDType<T>, &LogSumExpRows<T>::run};
}

}  // namespace tessera::kernels::TESSERA_ISA
