#include "kernels/cpu/ordered/in_place_product.h"

#include <algorithm>
#include <cstring>

#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

/// Copies `rows` rows of `bytes` bytes.
void copy_rows(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step,
               int64_t rows, int64_t bytes) {
  for (int64_t row = 0; row < rows; ++row, from += from_step, to += to_step) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

/// Multiplies the rows of one tile of columns, one after the other.
void multiply_columns(const ChainEntry& entry, const InPlaceProduct& product, const std::byte* b,
                      int64_t b_depth, std::byte* c, int64_t c_row) {
  const int64_t size = size_of(entry.type);
  for (int64_t row = 0; row < product.rows; row += entry.rows) {
    const int64_t rows = std::min(entry.rows, product.rows - row);
    const ChainWalk walk{product.a_row, product.a_depth, b_depth, product.depth, c_row};
    entry.in_place[static_cast<size_t>(rows - 1)](product.a + row * product.a_row * size, b,
                                                  c + row * c_row * size, walk);
  }
}

}  // namespace

int64_t in_place_workspace_bytes(const ChainEntry& entry, int64_t depth) {
  return aligned_bytes(depth * entry.columns * size_of(entry.type)) +
         aligned_bytes(entry.rows * entry.columns * size_of(entry.type));
}

void multiply_in_place(const ChainEntry& entry, const InPlaceProduct& product,
                       std::byte* workspace) noexcept {
  const int64_t size = size_of(entry.type);
  const int64_t whole = product.columns - product.columns % entry.columns;
  for (int64_t column = 0; column < whole; column += entry.columns) {
    multiply_columns(entry, product, product.b + column * size, product.b_depth,
                     product.c + column * size, product.c_row);
  }
  if (whole == product.columns) {
    return;
  }
  const int64_t rest = (product.columns - whole) * size;
  const int64_t panel_row = entry.columns * size;
  Carver carver(workspace);
  std::byte* const panel =
      carver.take<std::byte>(static_cast<size_t>(product.depth * panel_row)).data();
  std::byte* const tile =
      carver.take<std::byte>(static_cast<size_t>(entry.rows * panel_row)).data();
  std::memset(panel, 0, static_cast<size_t>(product.depth * panel_row));
  copy_rows(product.b + whole * size, product.b_depth * size, panel, panel_row, product.depth,
            rest);
  InPlaceProduct band = product;
  for (int64_t row = 0; row < product.rows; row += entry.rows) {
    band.a = product.a + row * product.a_row * size;
    band.rows = std::min(entry.rows, product.rows - row);
    multiply_columns(entry, band, panel, entry.columns, tile, entry.columns);
    copy_rows(tile, panel_row, product.c + (row * product.c_row + whole) * size,
              product.c_row * size, band.rows, rest);
  }
}

}  // namespace tessera::kernels
