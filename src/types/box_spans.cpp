#include "types/box_spans.h"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// The longest gap, in bytes, that is read to reach the bytes behind it. One call takes as long as
/// this many bytes in the system's cache: 0.4 us for a read at 20 GB/s, 1.3 us for a write if it
/// would be read and written back at 7 GB/s (measured in C++ alone on two cores, ext4, 2026-11).
constexpr int64_t kPitchBytes = 8 * 1024;

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

/// Returns the bytes from the first to the last of the box's part behind a position of `mode`.
int64_t bytes_behind(const Strides& strides, const Shape& extent, size_t mode,
                     int64_t element_bytes) {
  int64_t bytes = element_bytes;
  for (size_t inner = mode + 1; inner < extent.size(); ++inner) {
    bytes += (extent[inner] - 1) * strides[inner];
  }
  return bytes;
}

Strides byte_strides(const Shape& shape, int64_t element_bytes) {
  Strides strides = dense_strides(shape);
  for (int64_t& stride : strides) {
    stride *= element_bytes;
  }
  return strides;
}

/// Returns the first of the modes that a contiguous run of the box has positions of.
size_t first_mode_of_run(const Shape& shape, const Shape& extent) {
  size_t mode = shape.size();
  while (mode > 0 && (mode == shape.size() || extent[mode] == shape[mode])) {
    --mode;
  }
  return mode;
}

/// Counts the elements of the modes before `mode`.
int64_t positions_before(const Shape& extent, size_t mode) {
  int64_t positions = 1;
  for (size_t outer = 0; outer < mode; ++outer) {
    positions *= extent[outer];
  }
  return positions;
}

}  // namespace

BoxSpans spans_of(const Shape& shape, const Shape& extent, int64_t element_bytes) {
  if (shape.empty()) {
    return {0, 1, false, 1, 1, element_bytes};
  }
  const Strides strides = byte_strides(shape, element_bytes);
  const size_t run_mode = first_mode_of_run(shape, extent);
  BoxSpans spans;
  spans.num_runs = positions_before(extent, run_mode);
  size_t mode = 0;
  while (mode < run_mode && (strides[mode] > kPitchBytes || extent[mode] == 1)) {
    ++mode;
  }
  spans.mode = mode;
  spans.has_gaps = mode < run_mode;
  const int64_t length = extent[mode];
  const int64_t behind = bytes_behind(strides, extent, mode, element_bytes);
  spans.positions =
      spans.has_gaps ? std::min(length, (kStagingBytes - behind) / strides[mode] + 1) : length;
  const int64_t of_mode = (length - 1) / spans.positions + 1;
  const int64_t before = positions_before(extent, mode);
  spans.num_spans = before * of_mode;
  spans.bytes = before * ((length - of_mode) * strides[mode] + of_mode * behind);
  return spans;
}

SpanWalk::SpanWalk(const Shape& shape, const Box& box, int64_t element_bytes, const BoxSpans& spans)
    : box_(box),
      strides_(byte_strides(shape, element_bytes)),
      mode_(spans.mode),
      positions_(spans.positions),
      inner_bytes_(bytes_behind(strides_, box.extent, mode_, element_bytes)),
      span_{box, 0, 0} {
  for (size_t mode = 0; mode < mode_; ++mode) {
    span_.part.extent[mode] = 1;
  }
  enter();
}

/// Sets the members that depend on the beginning of the span.
void SpanWalk::enter() {
  Box& part = span_.part;
  span_.bytes = inner_bytes_;
  if (mode_ < part.extent.size()) {
    const int64_t end = box_.origin[mode_] + box_.extent[mode_];
    part.extent[mode_] = std::min(positions_, end - part.origin[mode_]);
    span_.bytes += (part.extent[mode_] - 1) * strides_[mode_];
  }
  span_.offset = 0;
  for (size_t mode = 0; mode < part.origin.size(); ++mode) {
    span_.offset += part.origin[mode] * strides_[mode];
  }
}

void SpanWalk::advance() {
  Box& part = span_.part;
  is_over_ = true;
  for (size_t mode = std::min(mode_ + 1, part.origin.size()); mode-- > 0;) {
    part.origin[mode] += part.extent[mode];
    if (part.origin[mode] < box_.origin[mode] + box_.extent[mode]) {
      is_over_ = false;
      break;
    }
    part.origin[mode] = box_.origin[mode];
  }
  if (!is_over_) {
    enter();
  }
}

Shape block_extents(const Shape& extents, int64_t max_elements, int64_t max_run) {
  Shape block(extents.size(), 1);
  int64_t room = max_elements;
  for (size_t mode = extents.size(); mode-- > 0;) {
    const bool last = mode + 1 == extents.size();
    const int64_t limit = last ? std::min(room, max_run) : room;
    block[mode] = std::clamp<int64_t>(extents[mode], 1, limit);
    room /= block[mode];
  }
  return block;
}

std::vector<Box> blocks_of(const Box& box, int64_t max_elements, int64_t max_run) {
  const size_t num_modes = box.extent.size();
  const Shape steps = block_extents(box.extent, max_elements, max_run);
  Shape num_blocks(num_modes, 0);
  for (size_t mode = 0; mode < num_modes; ++mode) {
    num_blocks[mode] = (box.extent[mode] + steps[mode] - 1) / steps[mode];
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

}  // namespace tessera
