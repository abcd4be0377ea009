#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "machine/isa.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Rows of values that are merged into rows of results, one after the other.
///
/// Row k of the values is `length` elements, `places[k]` bytes behind `values`, or k * `row_step`
/// if there are no places; row k of the results begins `offsets[k]` elements behind `results` and
/// has one every `step` elements. Values and results do not overlap.
struct MergedRows {
  const std::byte* values = nullptr;
  const int64_t* places = nullptr;
  std::byte* results = nullptr;
  const int64_t* offsets = nullptr;
  int64_t num_rows = 0;
  int64_t length = 1;
  int64_t step = 0;
  const std::byte* factors = nullptr;  // of products: an element for every row
  int64_t row_step = 0;                // bytes
};

/// Computes result = f(result, value), or for products f(result, factor * value), with the product
/// rounded first. Threads: any number on distinct results.
using MergeRows = void (*)(const MergedRows& rows) noexcept;

struct RowMergeEntry {
  const char* function = nullptr;
  DType type = DType::f32;
  MergeRows merge = nullptr;     // null if the instruction set has nothing beyond `scalar`
  MergeRows products = nullptr;  // null if f is no addition
};

/// The loops of a function for the types that it has any for.
using RowMergeTable = std::span<const RowMergeEntry>;

/// The tables of an instruction set, one per function.
std::span<const RowMergeTable> row_merge_tables(Isa isa);

/// Returns the loop of a function of two arguments of a compute type; null if it has none.
const RowMergeEntry* find_row_merge(std::string_view function, DType type, Isa isa);

}  // namespace tessera::kernels
