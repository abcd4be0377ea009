#include "io/box_runs.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera::io {

namespace {

/// Calls body(position) for every position of a shape, in row-major order.
template <class Body>
void for_each_position(const Shape& extents, Body&& body) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) {
    return;
  }
  std::vector<int64_t> position(extents.size(), 0);
  while (true) {
    body(position);
    size_t mode = extents.size();
    while (mode > 0 && ++position[mode - 1] == extents[mode - 1]) {
      position[--mode] = 0;
    }
    if (mode == 0) {
      return;
    }
  }
}

}  // namespace

BoxRuns runs_of(const Shape& shape, const Box& box) {
  const Strides strides = dense_strides(shape);
  BoxRuns runs;
  runs.length = 1;
  runs.count = 1;
  size_t outer = shape.size();  // modes [0, outer) are not in a run
  while (outer > 0) {
    --outer;
    runs.length *= box.extent[outer];
    if (box.extent[outer] != shape[outer]) {
      break;
    }
  }
  while (outer > 0 && box.extent[outer - 1] == 1) {
    --outer;
  }
  runs.pitch = runs.length;
  if (outer > 0) {
    --outer;
    runs.count = box.extent[outer];
    runs.pitch = strides[outer];
  }

  for (size_t mode = 0; mode < shape.size(); ++mode) {
    runs.first += box.origin[mode] * strides[mode];
  }
  const auto end = static_cast<std::ptrdiff_t>(outer);
  runs.group_extents.assign(box.extent.begin(), box.extent.begin() + end);
  runs.group_strides.assign(strides.begin(), strides.begin() + end);
  runs.num_groups = num_elements(runs.group_extents);
  return runs;
}

int64_t BoxRuns::group_begin(int64_t group) const {
  int64_t begin = first;
  for (size_t mode = group_extents.size(); mode-- > 0;) {
    begin += group % group_extents[mode] * group_strides[mode];
    group /= group_extents[mode];
  }
  return begin;
}

std::vector<Box> blocks_of(const Box& box, int64_t max_elements, int64_t max_run) {
  const size_t num_modes = box.extent.size();
  Shape steps(num_modes, 1);
  Shape num_blocks(num_modes, 0);
  int64_t room = max_elements;
  for (size_t mode = num_modes; mode-- > 0;) {
    const bool last = mode + 1 == num_modes;
    const int64_t limit = last ? std::min(room, max_run) : room;
    steps[mode] = std::clamp<int64_t>(box.extent[mode], 1, limit);
    num_blocks[mode] = (box.extent[mode] + steps[mode] - 1) / steps[mode];
    room /= steps[mode];
  }

  std::vector<Box> blocks;
  for_each_position(num_blocks, [&](const std::vector<int64_t>& position) {
    Box block = box;
    for (size_t mode = 0; mode < num_modes; ++mode) {
      const int64_t begin = position[mode] * steps[mode];
      block.origin[mode] += begin;
      block.extent[mode] = std::min(steps[mode], box.extent[mode] - begin);
    }
    blocks.push_back(std::move(block));
  });
  return blocks;
}

}  // namespace tessera::io
