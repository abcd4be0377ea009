#include "plan/verify_tile.h"

#include <limits>

#include <fmt/format.h>

#include "base/overload.h"
#include "base/problems.h"
#include "expr/verify.h"

namespace tessera::plan {

namespace {

/// Checks a box: as many origins as extents, none negative, with ends and bytes that fit 64 bits.
Problems verify_dense(const DenseTile& tile) {
  const Box& box = tile.box;
  if (box.origin.size() != box.extent.size()) {
    return {"its box has no origin or no extent for a mode"};
  }
  for (size_t mode = 0; mode < box.origin.size(); ++mode) {
    if (box.origin[mode] < 0 ||
        box.extent[mode] > std::numeric_limits<int64_t>::max() - box.origin[mode]) {
      return {fmt::format("mode {} of its box is out of range", mode)};
    }
  }
  return expr::verify(ArrayType{tile.dtype, box.extent});
}

/// Checks rows: valid counts, and columns whose bytes fit 64 bits.
Problems verify_rows(const RowTile& tile) {
  const RowCount& rows = tile.rows;
  if (rows.expected < 0 || rows.expected > rows.at_most) {
    return {
        fmt::format("{} rows are expected, but it has at most {}", rows.expected, rows.at_most)};
  }
  if (tile.columns.empty()) {
    return {"its rows have no columns"};
  }
  Problems problems;
  for (const ArrayType& column : tile.columns) {
    const Problems found = expr::verify(column);
    problems.insert(problems.end(), found.begin(), found.end());
  }
  if (problems.empty() && bytes_of(tile).at_most > kMostBytesOfTask) {
    problems.push_back("it has more than 2^50 bytes: " + to_string(tile));
  }
  return problems;
}

}  // namespace

Problems verify_tile(const TileType& type) {
  return std::visit(Overload{[](const DenseTile& tile) { return verify_dense(tile); },
                             [](const RowTile& tile) { return verify_rows(tile); }},
                    type);
}

bool is_inside(const Box& part, const Box& whole) {
  if (part.origin.size() != whole.origin.size() || part.extent.size() != whole.extent.size()) {
    return false;
  }
  for (size_t mode = 0; mode < whole.extent.size(); ++mode) {
    if (part.origin[mode] < whole.origin[mode] || part.extent[mode] < 0 ||
        part.extent[mode] > whole.extent[mode] - (part.origin[mode] - whole.origin[mode])) {
      return false;
    }
  }
  return true;
}

}  // namespace tessera::plan
