#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "types/array_type.h"
#include "types/shape.h"

namespace tessera {

/// How many rows a tile is expected to have, and the most that it can have.
struct RowCount {
  int64_t expected = 0;
  int64_t at_most = 0;
  friend bool operator==(const RowCount&, const RowCount&) = default;
};

/// An amount of memory that is known exactly (both are equal) or only within a bound. What must
/// never be exceeded counts `at_most`; what chooses between plans, or forecasts a run, `expected`.
struct Bytes {
  int64_t expected = 0;
  int64_t at_most = 0;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

/// An array: a box of its tensor.
struct DenseTile {
  DType dtype = DType::f32;
  Box box;
  friend bool operator==(const DenseTile&, const DenseTile&) = default;
};

/// Rows of a table: what a filter has left, the answer of a query, the elements of a sparse tile
/// that are there. A column is its type in one row: i64[], f64[10,20]. In memory the columns lie
/// one after the other, each from a memory unit on (base/budget.h) with room for `at_most` rows;
/// how many rows there are is known when a run has made them.
struct RowTile {
  std::vector<ArrayType> columns;
  RowCount rows;
  friend bool operator==(const RowTile&, const RowTile&) = default;
};

/// The closed set of what a tile can be.
using TileType = std::variant<DenseTile, RowTile>;

// The walkers: nothing else takes a tile's type apart.

/// What a tile's elements take. Counts that no machine has are kMostBytes (base/budget.h).
Bytes bytes_of(const TileType& type);

/// The array that a tile is; null where it is rows.
const DenseTile* dense_tile(const TileType& type);

/// Whether two tiles can hold the same data: arrays of one dtype and shape, or rows of the same
/// columns and counts.
bool have_same_layout(const TileType& a, const TileType& b);

/// "[1000]"; where the count is not exact, "[expected=100,at_most=1000]".
std::string to_string(const RowCount& rows);

/// "f32[0:64,8:16]"; "rows[1000](i64[],f64[10,20])".
std::string to_string(const TileType& type);

}  // namespace tessera
