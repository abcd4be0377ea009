#pragma once

#include "expr/functions/add.h"
#include "expr/functions/logical_and.h"
#include "expr/functions/logical_or.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/row_merge_table.h"

/// The loops that merge rows of values into rows of results, from the element code of
/// expr/functions/. Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

/// The distance of prefetching rows, which lie anywhere: 0.9 of the time without, on products of
/// rows of 64 f32 out of 25 MB, Zen, 2026-11.
constexpr int64_t kRowsAhead = 4;

/// Prefetches the first lines of a row; the processor follows a longer one itself.
inline void prefetch_row(const void* first, int64_t bytes) noexcept {
  constexpr int64_t kLine = 64;
  constexpr int64_t kMostBytes = 4 * kLine;
  const auto* at = static_cast<const std::byte*>(first);
  for (int64_t line = 0; line < bytes && line < kMostBytes; line += kLine) {
    __builtin_prefetch(at + line);
  }
}

template <class T>
inline const T* row_of(const MergedRows& rows, int64_t row) noexcept {
  const int64_t place = rows.places == nullptr ? row * rows.row_step : rows.places[row];
  return reinterpret_cast<const T*>(rows.values + place);
}

template <class T>
inline void prefetch_ahead(const MergedRows& rows, int64_t row) noexcept {
  if (row + kRowsAhead < rows.num_rows) {
    const int64_t bytes = rows.length * static_cast<int64_t>(sizeof(T));
    prefetch_row(row_of<T>(rows, row + kRowsAhead), bytes);
    prefetch_row(reinterpret_cast<T*>(rows.results) + rows.offsets[row + kRowsAhead], bytes);
  }
}

/// Computes into[e] = merge(into[e], values[e]), an element of the results every `step`.
template <class T, class Merge>
inline void merge_row(T* __restrict into, const T* __restrict values, int64_t length, int64_t step,
                      Merge merge) noexcept {
  if (step == 1) {
    for (int64_t e = 0; e < length; ++e) {
      into[e] = merge(into[e], values[e]);
    }
    return;
  }
  for (int64_t e = 0; e < length; ++e) {
    into[e * step] = merge(into[e * step], values[e]);
  }
}

/// Merges rows of one element. Their layout is checked once, not for each.
template <class T, class Merge>
inline void merge_elements(const MergedRows& rows, T* results, Merge merge) noexcept {
  const int64_t* const offsets = rows.offsets;
  const int64_t num_rows = rows.num_rows;
  if (rows.places == nullptr) {
    const std::byte* value = rows.values;
    for (int64_t row = 0; row < num_rows; ++row, value += rows.row_step) {
      results[offsets[row]] = merge(results[offsets[row]], *reinterpret_cast<const T*>(value));
    }
    return;
  }
  for (int64_t row = 0; row < num_rows; ++row) {
    results[offsets[row]] = merge(results[offsets[row]], *row_of<T>(rows, row));
  }
}

/// Merges rows in their order, because several rows of the results may be one row.
template <class F, class T>
void merge_rows(const MergedRows& rows) noexcept {
  T* const results = reinterpret_cast<T*>(rows.results);
  const auto merge = [](T into, T value) { return F::apply(into, value); };
  if (rows.length == 1) {
    return merge_elements(rows, results, merge);
  }
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    prefetch_ahead<T>(rows, row);
    merge_row(results + rows.offsets[row], row_of<T>(rows, row), rows.length, rows.step, merge);
  }
}

template <class T>
void add_products(const MergedRows& rows) noexcept {
  T* const results = reinterpret_cast<T*>(rows.results);
  const auto* const factors = reinterpret_cast<const T*>(rows.factors);
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    prefetch_ahead<T>(rows, row);
    const auto merge = [factor = factors[row]](T into, T value) {
      return code::Add::apply(into, code::Multiply::apply(factor, value));
    };
    merge_row(results + rows.offsets[row], row_of<T>(rows, row), rows.length, rows.step, merge);
  }
}

/// Returns the entry. Complex numbers have scalar code only (block_entries.h).
template <class F, class T>
constexpr RowMergeEntry row_merge_entry() {
  RowMergeEntry entry{F::kName, kDType<T>, nullptr, nullptr};
  if constexpr (!kHasBatches || !code::kIsComplex<T>) {
    entry.merge = &merge_rows<F, T>;
    if constexpr (std::is_same_v<F, code::Add>) {
      entry.products = &add_products<T>;
    }
  }
  return entry;
}

template <class F, class Computed>
struct RowMerges;
template <class F, template <class> class Signature, class... T>
struct RowMerges<F, Signature<code::Types<T...>>> {
  static constexpr std::array kAll = {row_merge_entry<F, T>()...};
};

template <class F>
constexpr std::span<const RowMergeEntry> row_merges_of() {
  return RowMerges<F, typename F::Computed>::kAll;
}

}  // namespace tessera::kernels::TESSERA_ISA
