#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "kernels/isa/merged_function_table.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Merges every row of a dense block of rows: results[r] = merge of elements[r * length .. (r + 1)
/// * length), with `identity`, one element, as padding. Needs no alignment, and reads nothing
/// outside the rows.
///
/// The order depends on the length alone, for all types and instruction sets: element e is merged
/// into lane e mod kFoldLanes, first to last; then the lanes are halved, lane l merging lane l +
/// half, until one is left. So the error of a sum of n terms grows with n / kFoldLanes +
/// log2(kFoldLanes).
using RowFold = void (*)(const void* elements, int64_t rows, int64_t length, const void* identity,
                         void* results) noexcept;

constexpr int64_t kFoldLanes = 64;

/// The fold by a function of two arguments of one compute type.
struct FoldEntry {
  const char* merge = nullptr;
  DType type = DType::f32;
  RowFold fold = nullptr;
};

/// Returns the folds of an instruction set: of functions that are associative and commutative, and
/// merge in registers.
std::span<const FoldEntry> fold_entries(Isa isa);

/// The fold of rows of logsumexp states: `largest` and `sums` are dense blocks of rows; without
/// `sums` all are 1. Sums are added in the order of a RowFold, each times exp(its largest - that of
/// the row); the state of an empty row is (-inf, 0).
struct LogSumExpFold {
  DType type = DType::f32;
  void (*fold)(const void* largest, const void* sums, int64_t rows, int64_t length,
               void* merged_largest, void* merged_sums) noexcept = nullptr;
};

std::span<const LogSumExpFold> logsumexp_folds(Isa isa);

/// Merges rows element by element, first to last: results[e] = merge of rows[0][e], rows[1][e], ...
/// for e < count. `results` may be the first of the rows, or either of two. Needs no alignment, and
/// reads nothing outside the rows.
using ColumnFold = void (*)(const void* const* rows, int64_t num_rows, int64_t count,
                            void* results) noexcept;

/// The fold by a function of two arguments of one compute type.
struct ColumnEntry {
  const char* merge = nullptr;
  DType type = DType::f32;
  ColumnFold fold = nullptr;
  MergedColumns fold_apart = nullptr;  // of rows at random places, without prefetching
};

std::span<const ColumnEntry> column_entries(Isa isa);

}  // namespace tessera::kernels
