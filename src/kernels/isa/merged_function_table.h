#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"

namespace tessera::kernels {

/// The most rows of one call of MergedColumns.
constexpr int64_t kMostMergedRows = 64;

/// Merges a function of one argument over rows, element by element, first to last, to results[e]
/// for e < count; if `continues`, into the present results. Needs no alignment, and reads nothing
/// outside the rows.
using MergedColumns = void (*)(const void* const* rows, int64_t num_rows, int64_t count,
                               bool continues, void* results) noexcept;

/// A block function whose results are merged in registers while they are made, instead of being
/// stored to a block and read again: the squares of a norm, the differences of a variance, the
/// integers of a mean.
struct MergedFunction {
  const char* merge = nullptr;  // a function of two arguments
  BlockFunction function = nullptr;
  /// Bit a: argument a has one value in a block, and `merged` reads its first element.
  uint32_t uniform_arguments = 0;
  /// Stores the layout of merging code in generated/interface.h, in the same order.
  BlockFunction merged = nullptr;
  MergedColumns merged_columns = nullptr;  // null if there is none
  double exact_elements = 0;               // the most that are merged exactly, in any order
};

/// Returns the merged functions of an instruction set.
std::span<const MergedFunction> merged_functions(Isa isa);

}  // namespace tessera::kernels
