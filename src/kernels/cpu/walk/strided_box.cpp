#include "kernels/cpu/walk/strided_box.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tessera::kernels {

void StridedBox::add(int64_t positions, int64_t read, int64_t write) {
  if (positions == 1) {
    return;
  }
  const auto dim = static_cast<size_t>(num_dims++);
  extent[dim] = positions;
  read_step[dim] = read;
  write_step[dim] = write;
}

void StridedBox::swap_dims(size_t one, size_t other) {
  std::swap(extent[one], extent[other]);
  std::swap(read_step[one], read_step[other]);
  std::swap(write_step[one], write_step[other]);
}

void StridedBox::sort_and_merge() {
  for (int dim = 1; dim < num_dims; ++dim) {
    for (auto at = static_cast<size_t>(dim);
         at > 0 && std::abs(write_step[at - 1]) > std::abs(write_step[at]); --at) {
      swap_dims(at - 1, at);
    }
  }
  size_t kept = 0;
  for (size_t dim = 1; dim < static_cast<size_t>(num_dims); ++dim) {
    if (read_step[dim] == read_step[kept] * extent[kept] &&
        write_step[dim] == write_step[kept] * extent[kept]) {
      extent[kept] *= extent[dim];
    } else {
      ++kept;
      extent[kept] = extent[dim];
      read_step[kept] = read_step[dim];
      write_step[kept] = write_step[dim];
    }
  }
  num_dims = num_dims == 0 ? 0 : static_cast<int>(kept) + 1;
}

bool StridedBox::is_empty() const {
  return std::find(extent.begin(), extent.begin() + num_dims, 0) != extent.begin() + num_dims;
}

int64_t StridedBox::num_elements() const {
  int64_t elements = 1;
  for (int dim = 0; dim < num_dims; ++dim) {
    elements *= extent[static_cast<size_t>(dim)];
  }
  return elements;
}

}  // namespace tessera::kernels
