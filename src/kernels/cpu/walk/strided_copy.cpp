#include "kernels/cpu/walk/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "kernels/isa/transpose_table.h"

namespace tessera::kernels {

namespace {

/// An element of 16 bytes that is only moved.
struct Wide {
  uint64_t low, high;
};

template <class T>
void copy_row(const std::byte* from, int64_t read, std::byte* to, int64_t write, int64_t count) {
  constexpr int64_t kUnit = sizeof(T);
  if (read == kUnit && write == kUnit) {
    std::memcpy(to, from, static_cast<size_t>(count * kUnit));
    return;
  }
  if (read == 0 && write == kUnit) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    std::fill_n(reinterpret_cast<T*>(to), count, value);
    return;
  }
  for (int64_t e = 0; e < count; ++e) {
    std::memcpy(to + e * write, from + e * read, sizeof(T));
  }
}

/// Rows and columns transposed at a time, so that their lines of both sides stay in L1.
constexpr int64_t kPanel = 32;

/// Transposes a panel. Dimension 0 is written along neighbours, dimension 1 read along neighbours;
/// at most kPanel of both.
template <class T>
void transpose_panel(const std::byte* from, std::byte* to, const StridedBox& box, int64_t rows,
                     int64_t columns, const TransposeEntry* squares) {
  if (squares == nullptr || rows < squares->side || columns < squares->side) {
    for (int64_t column = 0; column < columns; ++column) {
      copy_row<T>(from + column * box.read_step[1], box.read_step[0],
                  to + column * box.write_step[1], box.write_step[0], rows);
    }
    return;
  }
  std::array<const std::byte*, kPanel> sources;
  std::array<int64_t, kPanel> targets;
  for (int64_t column = 0; column < columns; ++column) {
    targets[static_cast<size_t>(column)] = column * box.write_step[1];
  }
  for (int64_t row = 0; row < rows; row += squares->side) {
    const int64_t start = std::min(row, rows - squares->side);
    for (int64_t number = 0; number < squares->side; ++number) {
      sources[static_cast<size_t>(number)] = from + (start + number) * box.read_step[0];
    }
    squares->transpose(sources.data(), columns, to + start * box.write_step[0], targets.data());
  }
}

/// Returns squares of registers of 16 bytes, which every x86-64 has.
const TransposeEntry* squares_of(int64_t unit) {
  const std::span<const TransposeEntry> panels = transpose_code(Isa::scalar).panels;
  const auto found = std::find_if(panels.begin(), panels.end(),
                                  [=](const TransposeEntry& entry) { return entry.unit == unit; });
  return found == panels.end() ? nullptr : &*found;
}

template <class T>
void transpose(const std::byte* from, std::byte* to, const StridedBox& box) {
  const int64_t rows = box.extent[0];
  const int64_t columns = box.extent[1];
  const TransposeEntry* const squares = squares_of(sizeof(T));
  for (int64_t column = 0; column < columns; column += kPanel) {
    for (int64_t row = 0; row < rows; row += kPanel) {
      transpose_panel<T>(from + row * box.read_step[0] + column * box.read_step[1],
                         to + row * box.write_step[0] + column * box.write_step[1], box,
                         std::min(kPanel, rows - row), std::min(kPanel, columns - column), squares);
    }
  }
}

/// Puts the dimension that is read along neighbours second, if dimension 0 is written along them.
bool bring_crossing_forward(StridedBox& box, int64_t unit) {
  if (box.num_dims < 2 || box.write_step[0] != unit || box.read_step[0] == unit ||
      box.read_step[0] == 0) {
    return false;
  }
  for (size_t dim = 1; dim < static_cast<size_t>(box.num_dims); ++dim) {
    if (box.read_step[dim] == unit && box.extent[dim] > 1) {
      while (dim > 1) {
        box.swap_dims(dim - 1, dim);
        --dim;
      }
      return true;
    }
  }
  return false;
}

template <class T>
void copy_elements_of(const std::byte* from, std::byte* to, StridedBox& box) {
  box.sort_and_merge();
  if (box.num_dims == 0) {
    std::memcpy(to, from, sizeof(T));
    return;
  }
  const bool crosses = bring_crossing_forward(box, static_cast<int64_t>(sizeof(T)));
  const size_t inner = crosses ? 2 : 1;
  std::array<int64_t, StridedBox::kMaxDims> position;
  std::fill_n(position.begin(), box.num_dims, 0);
  while (true) {
    if (crosses) {
      transpose<T>(from, to, box);
    } else {
      copy_row<T>(from, box.read_step[0], to, box.write_step[0], box.extent[0]);
    }
    size_t dim = inner;
    for (; dim < static_cast<size_t>(box.num_dims); ++dim) {
      from += box.read_step[dim];
      to += box.write_step[dim];
      if (++position[dim] < box.extent[dim]) {
        break;
      }
      position[dim] = 0;
      from -= box.read_step[dim] * box.extent[dim];
      to -= box.write_step[dim] * box.extent[dim];
    }
    if (dim >= static_cast<size_t>(box.num_dims)) {
      return;
    }
  }
}

}  // namespace

void copy_box(const std::byte* from, std::byte* to, int64_t element_size, StridedBox box) noexcept {
  if (box.is_empty()) {
    return;
  }
  switch (element_size) {
    case 1:
      return copy_elements_of<uint8_t>(from, to, box);
    case 2:
      return copy_elements_of<uint16_t>(from, to, box);
    case 4:
      return copy_elements_of<uint32_t>(from, to, box);
    case 8:
      return copy_elements_of<uint64_t>(from, to, box);
    default:
      return copy_elements_of<Wide>(from, to, box);
  }
}

}  // namespace tessera::kernels
