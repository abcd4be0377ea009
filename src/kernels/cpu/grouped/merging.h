#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "expr/monoid.h"

namespace tessera::kernels {

/// Rows of values that are merged into rows of results, one after the other.
///
/// Row k of the values is `length` elements, `places[k]` bytes behind `values`; row k of the
/// results begins `offsets[k]` elements behind `results` and has one every `step` elements. Values
/// and results do not overlap.
struct MergedRows {
  const std::byte* values = nullptr;
  const int64_t* places = nullptr;
  std::byte* results = nullptr;
  const int64_t* offsets = nullptr;
  int64_t num_rows = 0;
  int64_t length = 1;
  int64_t step = 0;
  const std::byte* factors = nullptr;  // of products: an element for every row
};

/// Merges one entry of a state.
using MergeRows = void (*)(const MergedRows& rows) noexcept;

/// A loop for every entry of a monoid's state; empty where some entry is not merged by itself, by
/// one of the functions that have loops.
std::vector<MergeRows> merges_of(const expr::Monoid& monoid);

/// A loop that adds rows times their factors; null where the monoid is no sum.
MergeRows merge_of_products(const expr::Monoid& monoid);

}  // namespace tessera::kernels
