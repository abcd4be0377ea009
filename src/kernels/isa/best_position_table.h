#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// The places of the best elements of a part of a tensor. An element is better than another if it
/// is a NaN and the other is none, or else if it is larger (or smaller). Among equal ones, and -0
/// equals 0, the one at the lower position counts.
///
/// `values`, of the elements' type, and `positions` hold the result, and the earlier result if it
/// `continues`; a NaN comes back as some NaN, and -0 as 0.
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

/// The most bytes of columns in a row: they and as many for positions stay in the second cache.
constexpr int64_t kBestColumnBytes = int64_t{64} << 10;

struct BestPositionEntry {
  DType type = DType::f32;
  bool largest = true;
  /// Finds the best of each of `count` columns. `workspace` is of twice their bytes in a row, each
  /// rounded up to whole lines, and aligned to 64.
  void (*columns)(const BestPart& part, std::byte* workspace) noexcept = nullptr;
  /// Finds the best of one row, of at least one element.
  void (*row)(const BestPart& part) noexcept = nullptr;
};

/// Returns the entries of all types that have an order, both ways.
std::span<const BestPositionEntry> best_position_entries(Isa isa);

}  // namespace tessera::kernels
