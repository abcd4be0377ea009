#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"

namespace tessera::kernels {

/// Rows of one call of MergedColumns, at most.
constexpr int64_t kMostMergedRows = 64;

/// Merges what a function of one argument makes of rows, element by element, first to last, to
/// results[e] for e < count, or into them where it `continues`. No alignment is asked for, and
/// nothing outside the rows is read.
using MergedColumns = void (*)(const void* const* rows, int64_t num_rows, int64_t count,
                               bool continues, void* results) noexcept;

/// A block function whose results are merged in registers as they are made, where they would be
/// stored to a block and read again: the squares of a norm, the differences of a variance, the
/// integers of a mean.
struct MergedFunction {
  const char* merge = nullptr;  // a function of two arguments
  BlockFunction function = nullptr;
  /// Bit a: argument a has one value in a block, of which `merged` reads the first element.
  uint32_t uniform_arguments = 0;
  /// Stores what generated/interface.h says of code that merges, in the same order.
  BlockFunction merged = nullptr;
  MergedColumns merged_columns = nullptr;  // null where there is none
  double exact_elements = 0;               // so many are merged exactly, in any order
};

/// Those of an instruction set.
std::span<const MergedFunction> merged_functions(Isa isa);

}  // namespace tessera::kernels
