#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "types/array_type.h"
#include "types/shape.h"

namespace tessera {

/// The expected number of rows of a tile, and the most that it can have.
struct RowCount {
  int64_t expected = 0;
  int64_t at_most = 0;
  friend bool operator==(const RowCount&, const RowCount&) = default;
};

/// An amount of memory that is known exactly (both are equal) or only within a bound. Limits that
/// must hold count `at_most`; choices between plans and forecasts count `expected`.
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

/// Rows of a table: the result of a filter, the answer of a query, the present elements of a sparse
/// tile. A column is its type in one row: i64[], f64[10,20]. In memory the columns lie one after
/// the other, each from a memory unit on (base/budget.h) with room for `at_most` rows; the number
/// of rows is known when a run has made them.
struct RowTile {
  std::vector<ArrayType> columns;
  RowCount rows;
  friend bool operator==(const RowTile&, const RowTile&) = default;
};

/// The closed set of tile types.
using TileType = std::variant<DenseTile, RowTile>;

// The walkers: nothing else takes a tile's type apart.

/// Returns the bytes of a tile's elements. Impossible counts become kMostBytes (base/budget.h).
Bytes bytes_of(const TileType& type);

/// Returns the array type of a tile; null if it is rows.
const DenseTile* dense_tile(const TileType& type);

/// True if two tiles can hold the same data: arrays of one dtype and shape, or rows of the same
/// columns and counts.
bool have_same_layout(const TileType& a, const TileType& b);

/// Formats a count: "[1000]"; if it is not exact, "[expected=100,at_most=1000]".
std::string to_string(const RowCount& rows);

/// Formats a tile type: "f32[0:64,8:16]"; "rows[1000](i64[],f64[10,20])".
std::string to_string(const TileType& type);

}  // namespace tessera
