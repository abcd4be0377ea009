#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cpu/walk/position_table.h"

namespace tessera::kernels {

/// Rows of bytes that are copied from positions in tables to contiguous places.
struct GatheredRows {
  const std::byte* from = nullptr;  // the first row, if all positions were the first of their modes
  int64_t step = 0;                 // bytes between rows, besides the tables' positions
  std::span<const PositionTable> tables;
  std::byte* to = nullptr;
  int64_t num_rows = 0;
  int64_t row_bytes = 0;
  DType dtype = DType::f32;  // of a row's elements, for their pad
};

/// Rows that are checked together: all their positions are checked before one is read.
constexpr int64_t kGatheredBlock = 1024;

/// Copies rows, a block at a time. Returns the number of copied rows: if a position lies outside of
/// its mode without a boundary, those before its block.
///
/// A table may be the memory that rows are written to, if each row is as wide as its number.
int64_t gather_rows(const GatheredRows& rows) noexcept;

/// Finds the places of rows [first, first + count), in bytes behind `rows.from`. Returns false if a
/// position lies outside of its mode. REQUIRES tables without boundaries.
bool place_rows(const GatheredRows& rows, int64_t first, int64_t count, int64_t* places) noexcept;

}  // namespace tessera::kernels
