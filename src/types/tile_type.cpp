#include "types/tile_type.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/budget.h"
#include "base/overload.h"

namespace tessera {

namespace {

/// Returns the bytes of `rows` rows. A product that no machine holds is not multiplied out.
int64_t bytes_of_rows(const RowTile& tile, int64_t rows) {
  int64_t sum = 0;
  for (const ArrayType& column : tile.columns) {
    const int64_t row_bytes = size_in_bytes(column);
    const bool is_huge = row_bytes > 0 && rows > kMostBytes / row_bytes;
    const int64_t bytes = is_huge ? kMostBytes : rows * row_bytes;
    sum = std::min(sum + (bytes + kMemoryUnit - 1) / kMemoryUnit * kMemoryUnit, kMostBytes);
  }
  return sum;
}

std::string dense_text(const DenseTile& tile) {
  std::vector<std::string> intervals;
  for (size_t mode = 0; mode < std::min(tile.box.origin.size(), tile.box.extent.size()); ++mode) {
    const int64_t begin = tile.box.origin[mode];
    intervals.push_back(fmt::format("{}:{}", begin, begin + tile.box.extent[mode]));
  }
  return fmt::format("{}[{}]", name_of(tile.dtype), fmt::join(intervals, ","));
}

std::string rows_text(const RowTile& tile) {
  std::vector<std::string> columns;
  for (const ArrayType& column : tile.columns) {
    columns.push_back(to_string(column));
  }
  return fmt::format("rows{}({})", to_string(tile.rows), fmt::join(columns, ","));
}

}  // namespace

Bytes bytes_of(const TileType& type) {
  return std::visit(Overload{[](const DenseTile& tile) {
                               const int64_t bytes =
                                   num_elements(tile.box.extent) * size_of(tile.dtype);
                               return Bytes{bytes, bytes};
                             },
                             [](const RowTile& tile) {
                               return Bytes{bytes_of_rows(tile, tile.rows.expected),
                                            bytes_of_rows(tile, tile.rows.at_most)};
                             }},
                    type);
}

const DenseTile* dense_tile(const TileType& type) {
  using Found = const DenseTile*;
  return std::visit(Overload{[](const DenseTile& tile) -> Found { return &tile; },
                             [](const RowTile&) -> Found { return nullptr; }},
                    type);
}

bool have_same_layout(const TileType& a, const TileType& b) {
  return std::visit(Overload{[](const DenseTile& one, const DenseTile& other) {
                               return one.dtype == other.dtype &&
                                      one.box.extent == other.box.extent;
                             },
                             [](const RowTile& one, const RowTile& other) { return one == other; },
                             [](const DenseTile&, const RowTile&) { return false; },
                             [](const RowTile&, const DenseTile&) { return false; }},
                    a, b);
}

std::string to_string(const RowCount& rows) {
  return rows.expected == rows.at_most
             ? fmt::format("[{}]", rows.at_most)
             : fmt::format("[expected={},at_most={}]", rows.expected, rows.at_most);
}

std::string to_string(const TileType& type) {
  return std::visit(Overload{[](const DenseTile& tile) { return dense_text(tile); },
                             [](const RowTile& tile) { return rows_text(tile); }},
                    type);
}

}  // namespace tessera
