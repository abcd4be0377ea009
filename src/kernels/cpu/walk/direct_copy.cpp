#include "kernels/cpu/walk/direct_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "kernels/cpu/walk/strided_copy.h"

namespace tessera::kernels {

namespace {

/// Rows that are read at once, each a stream. Measured on bench/limits, bshd->bhsd (Zen 4, 2026-11,
/// one worker): 4 rows 1.25 times as long, 16 rows 1.3 times, in the target's order 1.8 times.
constexpr int64_t kRowsAtOnce = 8;

/// The narrowest elements. Narrower ones go through tiles (copy_tile.h): a line of results would
/// need more streams than processors follow.
constexpr int64_t kNarrowestUnit = 8;
/// The least bytes of a run that every row of a panel reads; with less the next rows begin too
/// soon.
constexpr int64_t kShortestPanel = 512;
/// Measured: panels of 256 bytes take 1.2 to 1.9 times as long, of 1 KiB 1 to 1.1 times.
constexpr int64_t kPanelBytes = 4096;
constexpr size_t kMostRows = 64;  // of a panel

/// Returns the dimension that is read in the smallest steps forward; 0 if there is none.
size_t dimension_read_along(const StridedBox& box) {
  size_t along = 0;
  for (size_t dim = 0; dim < static_cast<size_t>(box.num_dims); ++dim) {
    const bool is_nearer = box.read_step[along] <= 0 || box.read_step[dim] < box.read_step[along];
    along = box.read_step[dim] > 0 && is_nearer ? dim : along;
  }
  return along;
}

/// Calls move(from, to) at every position of the dimensions but 0 and `along`, in the order of the
/// target.
template <class Move>
void for_each_plane(const std::byte* from, std::byte* to, const StridedBox& box, size_t along,
                    const Move& move) {
  std::array<int64_t, StridedBox::kMaxDims> position;
  std::fill_n(position.begin(), box.num_dims, 0);
  for (bool goes_on = true; goes_on;) {
    move(from, to);
    goes_on = false;
    for (size_t dim = 1; dim < static_cast<size_t>(box.num_dims) && !goes_on; ++dim) {
      if (dim != along) {
        goes_on = ++position[dim] < box.extent[dim];
        const int64_t moved = goes_on ? 1 : 1 - box.extent[dim];
        position[dim] = goes_on ? position[dim] : 0;
        from += moved * box.read_step[dim];
        to += moved * box.write_step[dim];
      }
    }
  }
}

/// Returns the panels with most rows that a box has room for; null if it has for none.
const TransposeEntry* panels_of(const TransposeCode& code, int64_t unit, int64_t rows,
                                int64_t columns) {
  const auto fits = [=](const TransposeEntry& entry) {
    return entry.unit == unit && entry.side <= rows && entry.side <= columns;
  };
  const auto found = std::find_if(code.panels.begin(), code.panels.end(), fits);
  return found == code.panels.end() ? nullptr : &*found;
}

}  // namespace

void move_rows_in_blocks(const std::byte* from, std::byte* to, int64_t row_bytes,
                         const StridedBox& box, StreamBytes stream) noexcept {
  const size_t along = dimension_read_along(box);
  const int64_t blocks = along == 0 ? 1 : box.extent[along];
  const auto move_block = [&](const std::byte* source, std::byte* target, int64_t rows) {
    for (int64_t row = 0; row < rows; ++row) {
      if (stream != nullptr) {
        stream(source, target, row_bytes);
      } else {
        std::memcpy(target, source, static_cast<size_t>(row_bytes));
      }
      source += box.read_step[0];
      target += box.write_step[0];
    }
  };
  for_each_plane(from, to, box, along, [&](const std::byte* source, std::byte* target) {
    for (int64_t first = 0; first < box.extent[0]; first += kRowsAtOnce) {
      const int64_t rows = std::min(kRowsAtOnce, box.extent[0] - first);
      for (int64_t block = 0; block < blocks; ++block) {
        move_block(source + first * box.read_step[0] + block * box.read_step[along],
                   target + first * box.write_step[0] + block * box.write_step[along], rows);
      }
    }
  });
}

bool move_panels(const std::byte* from, std::byte* to, int64_t unit, const StridedBox& box,
                 const TransposeCode& code) noexcept {
  const size_t along = dimension_read_along(box);
  if (unit < kNarrowestUnit || along == 0 || box.read_step[along] != unit ||
      box.write_step[0] != unit || box.extent[along] * unit < kShortestPanel) {
    return false;
  }
  const TransposeEntry* const panels = panels_of(code, unit, box.extent[0], box.extent[along]);
  if (panels == nullptr) {
    return false;
  }
  const int64_t side = panels->side;
  std::array<int64_t, kPanelBytes / kNarrowestUnit> targets;
  const int64_t most = kPanelBytes / unit;
  for (int64_t column = 0; column < most; ++column) {
    targets[static_cast<size_t>(column)] = column * box.write_step[along];
  }
  std::array<const std::byte*, kMostRows> rows;
  const auto move_panel = [&](const std::byte* source, std::byte* target, int64_t columns) {
    for (int64_t row = 0; row < side; ++row) {
      rows[static_cast<size_t>(row)] = source + row * box.read_step[0];
    }
    panels->transpose(rows.data(), columns, target, targets.data());
  };
  // The last panels, in either direction, may overlap those before.
  for_each_plane(from, to, box, along, [&](const std::byte* source, std::byte* target) {
    for (int64_t column = 0; column < box.extent[along]; column += most) {
      const int64_t first = std::min(column, box.extent[along] - side);
      const int64_t columns = std::min(most, box.extent[along] - first);
      for (int64_t next = 0; next < box.extent[0]; next += side) {
        const int64_t row = std::min(next, box.extent[0] - side);
        move_panel(source + first * unit + row * box.read_step[0],
                   target + first * box.write_step[along] + row * unit, columns);
      }
    }
  });
  return true;
}

void stream_rows_in_pieces(const std::byte* from, std::byte* to, int64_t unit,
                           const StridedBox& box, std::byte* piece, StreamBytes stream) noexcept {
  const int64_t length = kPieceBytes / unit;
  for_each_plane(from, to, box, 0, [&](const std::byte* source, std::byte* target) {
    for (int64_t at = 0; at < box.extent[0]; at += length) {
      const int64_t here = std::min(length, box.extent[0] - at);
      StridedBox row;
      row.add(here, box.read_step[0], unit);
      copy_box(source + at * box.read_step[0], piece, unit,
               std::move(row));  // it is taken apart
      stream(piece, target + at * unit, here * unit);
    }
  });
}

}  // namespace tessera::kernels
