#pragma once

#include <algorithm>

#include "expr/functions/add.h"
#include "expr/functions/bitwise_and.h"
#include "expr/functions/bitwise_or.h"
#include "expr/functions/logical_and.h"
#include "expr/functions/logical_or.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/fetching.h"
#include "kernels/isa/fold_table.h"
#include "kernels/isa/vectors.h"

/// The folds of rows, from the element code of expr/functions/ on batches (on single elements if
/// the instruction set has none). Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

#ifdef TESSERA_ISA_BATCHES
constexpr int kUnrolled = 64;
#else
constexpr int kUnrolled = 1;  // single lanes fit into no registers, and compile slowly
#endif

/// The fold of a row by F, of elements that are kParts numbers each, which are merged separately.
/// The lanes are kVectors registers; GCC keeps an array of them there if every loop over it is
/// unrolled.
template <class F, class T, int64_t kParts = 1>
struct Fold {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kCount = Lanes::kCount;
  static constexpr int64_t kLanes = kParts * kFoldLanes;
  static constexpr int64_t kVectors = kLanes / kCount;
  static constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
  static constexpr int64_t kAhead = kBytesAhead / static_cast<int64_t>(sizeof(T));

  static void run(const void* elements, int64_t rows, int64_t length, const void* identity,
                  void* results) noexcept {
    const T* row = static_cast<const T*>(elements);
    const T neutral = *static_cast<const T*>(identity);
    for (int64_t r = 0; r < rows; ++r, row += kParts * length) {
      fold(row, kParts * length, neutral, static_cast<T*>(results) + kParts * r);
    }
  }

  /// Merges the lanes to a result.
  static void halve(Vector (&lanes)[kVectors], T* result) {
#pragma GCC unroll kUnrolled
    for (int64_t half = kVectors / 2; half * kCount >= kParts; half /= 2) {
#pragma GCC unroll kUnrolled
      for (int64_t v = 0; v < half; ++v) {
        lanes[v] = F::apply(lanes[v], lanes[v + half]);
      }
    }
    if constexpr (kCount < kParts) {  // a register has one part
      Lanes::store(result, lanes[0]);
      Lanes::store(result + 1, lanes[1]);
    } else {
      T values[kCount];
      Lanes::store(values, lanes[0]);
      halved<F, T, kCount, kParts>(values);
      for (int64_t part = 0; part < kParts; ++part) {
        result[part] = values[part];
      }
    }
  }

 private:
  static void fetch(const T* group) {
#pragma GCC unroll kUnrolled
    for (int64_t line = 0; line < kLanes; line += kLine) {
      __builtin_prefetch(group + line + kAhead);
    }
  }

  static void fold(const T* row, int64_t length, T neutral, T* result) {
    if constexpr (kParts == 1) {
      if (length <= kCount) {
        return fold_few(row, length, neutral, result);
      }
    }
    Vector lanes[kVectors];
    const int64_t whole = length - length % kLanes;
    const bool fetches = fetches_ahead();
    if (whole > 0 && fetches) {
      fetch(row);
    }
#pragma GCC unroll kUnrolled
    for (int64_t v = 0; v < kVectors; ++v) {
      lanes[v] = whole > 0 ? Lanes::load(row + v * kCount) : Vector(neutral);
    }
    for (int64_t e = kLanes; e < whole; e += kLanes) {
      if (fetches) {
        fetch(row + e);
      }
#pragma GCC unroll kUnrolled
      for (int64_t v = 0; v < kVectors; ++v) {
        lanes[v] = F::apply(lanes[v], Lanes::load(row + e + v * kCount));
      }
    }
    if (whole < length) {
      merge_rest(lanes, row + whole, length - whole, neutral);
    }
    halve(lanes, result);
  }

  /// Folds at most one register of elements: the other lanes have the neutral element.
  static void fold_few(const T* row, int64_t length, T neutral, T* result) {
    T values[kCount];
    std::fill(std::copy_n(row, length, values), values + kCount, neutral);
    Vector merged = F::apply(Vector(neutral), Lanes::load(values));
    for (int64_t half = kVectors / 2; half > 0; half /= 2) {
      merged = F::apply(merged, Vector(neutral));
    }
    Lanes::store(values, merged);
    *result = halved<F, T, kCount>(values);
  }

  /// Merges less than kLanes elements.
  static void merge_rest(Vector (&lanes)[kVectors], const T* rest, int64_t count, T neutral) {
#pragma GCC unroll kUnrolled
    for (int64_t v = 0; v < kVectors; ++v) {
      const int64_t here = count - v * kCount;
      if (here >= kCount) {
        lanes[v] = F::apply(lanes[v], Lanes::load(rest + v * kCount));
      } else if (here > 0) {
        T padded[kCount];
        Lanes::store(padded, Vector(neutral));
        for (int64_t e = 0; e < here; ++e) {
          padded[e] = rest[v * kCount + e];
        }
        lanes[v] = F::apply(lanes[v], Lanes::load(padded));
      }
    }
  }
};

/// Rows of bool: any byte but 0 is true.
template <class F>
struct Truth {
  template <class T>
  static T apply(T x, T y) {
    return F::apply(code::Minimum::apply(x, T(1)), code::Minimum::apply(y, T(1)));
  }
};

template <class F, class T>
constexpr FoldEntry fold_entry() {
  return {F::kName, kDType<T>, &Fold<F, T>::run};
}

/// Returns the entry for complex numbers, whose identity has two equal parts.
template <class F, class T>
constexpr FoldEntry fold_entry_of_parts() {
  return {F::kName, kDType<std::complex<T>>, &Fold<F, T, 2>::run};
}

/// Returns the entry of a function that is F on bytes of 0 and 1.
template <class Named, class F>
constexpr FoldEntry truth_entry() {
  return {Named::kName, DType::b1, &Fold<Truth<F>, uint8_t>::run};
}

template <class T>
constexpr std::array<FoldEntry, 4> folds_of() {
  return {fold_entry<code::Add, T>(), fold_entry<code::Multiply, T>(),
          fold_entry<code::Maximum, T>(), fold_entry<code::Minimum, T>()};
}

}  // namespace tessera::kernels::TESSERA_ISA
