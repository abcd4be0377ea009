#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Where the best elements of a part of a tensor are. An element is better than another if it is a
/// NaN and the other is none, or else if it is larger (or smaller); of equal ones, as -0 and 0 are,
/// that at the lower position counts.
///
/// `values`, of the elements' type, and `positions` hold what is found, and what was found before
/// if it `continues`; a NaN comes back as some NaN, and -0 as 0.
struct BestPart {
  const void* elements = nullptr;
  int64_t count = 0;     // neighbours: columns, or the elements of a row
  int64_t rows = 1;      // of columns
  int64_t row_step = 0;  // in bytes
  int64_t position = 0;  // of the first row, or of the first element of a row
  bool continues = false;
  void* values = nullptr;
  int64_t* positions = nullptr;
};

/// Bytes that columns have in a row, at most: they and as many for positions stay in the second
/// cache.
constexpr int64_t kBestColumnBytes = int64_t{64} << 10;

struct BestPositionEntry {
  DType type = DType::f32;
  bool largest = true;
  /// The best of each of `count` columns. `workspace` is of twice their bytes in a row, each
  /// rounded up to whole lines, and aligned to 64.
  void (*columns)(const BestPart& part, std::byte* workspace) noexcept = nullptr;
  /// The best of one row, of at least one element.
  void (*row)(const BestPart& part) noexcept = nullptr;
};

/// All types that have an order, both ways.
std::span<const BestPositionEntry> best_position_entries(Isa isa);

}  // namespace tessera::kernels
