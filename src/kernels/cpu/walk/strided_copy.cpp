#include "kernels/cpu/walk/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <emmintrin.h>

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

/// A square read along its rows and written along its columns: 16 bytes of a row at a time.
template <class T>
struct Square {
  static constexpr int64_t kSide = 1;
};

template <>
struct Square<uint32_t> {
  static constexpr int64_t kSide = 4;
  static void transpose(const std::byte* from, int64_t from_row, std::byte* to, int64_t to_row) {
    const auto load = [&](int64_t row) {
      return _mm_loadu_ps(reinterpret_cast<const float*>(from + row * from_row));
    };
    __m128 row0 = load(0), row1 = load(1), row2 = load(2), row3 = load(3);
    _MM_TRANSPOSE4_PS(row0, row1, row2, row3);
    const auto store = [&](int64_t row, __m128 value) {
      _mm_storeu_ps(reinterpret_cast<float*>(to + row * to_row), value);
    };
    store(0, row0);
    store(1, row1);
    store(2, row2);
    store(3, row3);
  }
};

template <>
struct Square<uint64_t> {
  static constexpr int64_t kSide = 2;
  static void transpose(const std::byte* from, int64_t from_row, std::byte* to, int64_t to_row) {
    const __m128d row0 = _mm_loadu_pd(reinterpret_cast<const double*>(from));
    const __m128d row1 = _mm_loadu_pd(reinterpret_cast<const double*>(from + from_row));
    _mm_storeu_pd(reinterpret_cast<double*>(to), _mm_unpacklo_pd(row0, row1));
    _mm_storeu_pd(reinterpret_cast<double*>(to + to_row), _mm_unpackhi_pd(row0, row1));
  }
};

/// Reads `rows` rows of `columns` neighbours, `from_row` bytes apart, and writes them as columns.
template <class T>
void transpose_panel(const std::byte* from, int64_t from_row, std::byte* to, int64_t to_row,
                     int64_t rows, int64_t columns) {
  constexpr int64_t kUnit = sizeof(T);
  constexpr int64_t kSide = Square<T>::kSide;
  int64_t whole_rows = 0;
  int64_t whole_columns = 0;
  if constexpr (kSide > 1) {
    whole_rows = rows - rows % kSide;
    whole_columns = columns - columns % kSide;
    for (int64_t column = 0; column < whole_columns; column += kSide) {
      for (int64_t row = 0; row < whole_rows; row += kSide) {
        Square<T>::transpose(from + row * from_row + column * kUnit, from_row,
                             to + column * to_row + row * kUnit, to_row);
      }
    }
  }
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t row = column < whole_columns ? whole_rows : 0; row < rows; ++row) {
      std::memcpy(to + column * to_row + row * kUnit, from + row * from_row + column * kUnit,
                  sizeof(T));
    }
  }
}

constexpr int64_t kPanel =
    32;  // rows and columns transposed at a time, so that 32 lines of both sides stay in L1

/// Dimension 0 is written along neighbours, dimension 1 read along neighbours.
template <class T>
void transpose(const std::byte* from, std::byte* to, const StridedBox& box) {
  const int64_t rows = box.extent[0];
  const int64_t columns = box.extent[1];
  for (int64_t column = 0; column < columns; column += kPanel) {
    for (int64_t row = 0; row < rows; row += kPanel) {
      transpose_panel<T>(
          from + row * box.read_step[0] + column * box.read_step[1], box.read_step[0],
          to + row * box.write_step[0] + column * box.write_step[1], box.write_step[1],
          std::min(kPanel, rows - row), std::min(kPanel, columns - column));
    }
  }
}

void swap_dims(StridedBox& box, size_t a, size_t b) {
  std::swap(box.extent[a], box.extent[b]);
  std::swap(box.read_step[a], box.read_step[b]);
  std::swap(box.write_step[a], box.write_step[b]);
}

/// Writing in order costs least: dimensions by rising write step, then merged where both sides walk
/// two as one.
void sort_and_merge(StridedBox& box) {
  for (int dim = 1; dim < box.num_dims; ++dim) {
    for (auto at = static_cast<size_t>(dim);
         at > 0 && std::abs(box.write_step[at - 1]) > std::abs(box.write_step[at]); --at) {
      swap_dims(box, at - 1, at);
    }
  }
  size_t kept = 0;
  for (size_t dim = 1; dim < static_cast<size_t>(box.num_dims); ++dim) {
    if (box.read_step[dim] == box.read_step[kept] * box.extent[kept] &&
        box.write_step[dim] == box.write_step[kept] * box.extent[kept]) {
      box.extent[kept] *= box.extent[dim];
    } else {
      ++kept;
      box.extent[kept] = box.extent[dim];
      box.read_step[kept] = box.read_step[dim];
      box.write_step[kept] = box.write_step[dim];
    }
  }
  box.num_dims = box.num_dims == 0 ? 0 : static_cast<int>(kept) + 1;
}

/// Puts the dimension that is read along neighbours second, where dimension 0 is written along
/// them.
bool bring_crossing_forward(StridedBox& box, int64_t unit) {
  if (box.num_dims < 2 || box.write_step[0] != unit || box.read_step[0] == unit ||
      box.read_step[0] == 0) {
    return false;
  }
  for (size_t dim = 1; dim < static_cast<size_t>(box.num_dims); ++dim) {
    if (box.read_step[dim] == unit && box.extent[dim] > 1) {
      while (dim > 1) {
        swap_dims(box, dim - 1, dim);
        --dim;
      }
      return true;
    }
  }
  return false;
}

template <class T>
void copy_elements_of(const std::byte* from, std::byte* to, StridedBox& box) {
  sort_and_merge(box);
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

void StridedBox::add(int64_t positions, int64_t read, int64_t write) {
  if (positions == 1) {
    return;
  }
  const auto dim = static_cast<size_t>(num_dims++);
  extent[dim] = positions;
  read_step[dim] = read;
  write_step[dim] = write;
}

void copy_box(const std::byte* from, std::byte* to, int64_t element_size,
              StridedBox&& box) noexcept {
  for (int dim = 0; dim < box.num_dims; ++dim) {
    if (box.extent[static_cast<size_t>(dim)] == 0) {
      return;
    }
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
