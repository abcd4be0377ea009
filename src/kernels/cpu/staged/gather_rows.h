#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cpu/walk/position_table.h"

namespace tessera::kernels {

/// Rows of bytes that are copied from where tables say to places that follow each other.
struct GatheredRows {
  const std::byte* from = nullptr;  // the first row, were all positions the first of their modes
  int64_t step = 0;                 // bytes from a row to the next, beside what the tables say
  std::span<const PositionTable> tables;
  std::byte* to = nullptr;
  int64_t num_rows = 0;
  int64_t row_bytes = 0;
  DType dtype = DType::f32;  // of a row's elements, for what pads them
};

/// Rows that are looked at together: all their positions are checked before one is read.
constexpr int64_t kGatheredBlock = 1024;

/// Copies rows, a block at a time. Returns how many it copied: where a position lies outside of its
/// mode and no boundary says what is there, those before the block that has it.
///
/// A table may be the memory that rows are written to, where each row is as wide as its number.
int64_t gather_rows(const GatheredRows& rows) noexcept;

/// Finds where rows [first, first + count) are, in bytes behind `rows.from`; false if a position
/// lies outside of its mode. REQUIRES tables without boundaries.
bool place_rows(const GatheredRows& rows, int64_t first, int64_t count, int64_t* places) noexcept;

}  // namespace tessera::kernels
