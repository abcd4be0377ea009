#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// The places of both operands at one position of the merged labels, in elements.
struct DirectTap {
  int64_t x = 0;
  int64_t y = 0;
};

/// The work of a tile, and the places of its rows, in elements.
struct DirectWork {
  const DirectTap* taps = nullptr;
  int64_t num_taps = 0;  // > 0
  int64_t x_row_step = 0;
  int64_t y_row_step = 0;
  int64_t out_row_step = 0;
  bool adds_to_out = false;  // merges into the present results
};

/// The relation of the operands to the rows and columns of a tile. Columns are neighbours in x and
/// in the result.
enum class DirectKind : uint8_t {
  outer,   // x is the same in all rows, y in all columns: filters over places
  repeat,  // y is one number: places that are read at one weight
  lanes,   // y has neighbours in the columns and is the same in all rows: channels of their own
};

/// Computes a tile: for every row r and column j
///   out[r, j] = merge over taps of of_join(join(x[tap.x + r * x_row_step + j], y[tap.y + ...]))
/// from the first tap to the last.
using DirectTile = void (*)(const void* x, const void* y, const DirectWork& work,
                            void* out) noexcept;

/// A tile of a pair of functions. Every join in the table is commutative.
struct DirectEntry {
  const char* join = nullptr;
  const char* of_join = nullptr;  // abs or square of the join; null: the join itself
  const char* merge = nullptr;
  DType type = DType::f32;  // of operands and result; a compute type
  DirectKind kind = DirectKind::outer;
  int64_t rows = 0;
  int64_t columns = 0;
  double step_functions = 1;  // instructions that join and merge a vector
  DirectTile run = nullptr;
};

/// Returns the tiles of an instruction set. Every pair and kind has one of a row and a vector of
/// columns.
std::span<const DirectEntry> direct_entries(Isa isa);

}  // namespace tessera::kernels
