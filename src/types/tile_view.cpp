#include "types/tile_view.h"

#include <array>
#include <cstring>

namespace tessera {

namespace {

/// Copies `count` elements of a constant size, `from_step` and `to_step` bytes apart.
template <size_t size>
void copy_run(int64_t count, const std::byte* source, int64_t from_step, std::byte* target,
              int64_t to_step) noexcept {
  for (int64_t position = 0; position < count; ++position) {
    std::memcpy(target + position * to_step, source + position * from_step, size);
  }
}

void copy_strided_run(int64_t size, int64_t count, const std::byte* source, int64_t from_step,
                      std::byte* target, int64_t to_step) noexcept {
  switch (size) {
    case 1:
      return copy_run<1>(count, source, from_step, target, to_step);
    case 2:
      return copy_run<2>(count, source, from_step, target, to_step);
    case 4:
      return copy_run<4>(count, source, from_step, target, to_step);
    case 8:
      return copy_run<8>(count, source, from_step, target, to_step);
    default:
      return copy_run<16>(count, source, from_step, target, to_step);
  }
}

/// The modes of two views of one shape, without those of one position; neighbours that both views
/// walk as one are joined.
struct JoinedModes {
  size_t count = 0;
  std::array<int64_t, kMostModes> extent;
  std::array<int64_t, kMostModes> from_step, to_step;  // in bytes

  JoinedModes(const TileView& from, const TileView& to) noexcept {
    const int64_t size = size_of(from.dtype);
    for (size_t mode = 0; mode < from.shape.size(); ++mode) {
      const int64_t positions = from.shape[mode];
      const int64_t from_here = from.strides[mode] * size;
      const int64_t to_here = to.strides[mode] * size;
      const bool is_one = count > 0 && from_step[count - 1] == positions * from_here &&
                          to_step[count - 1] == positions * to_here;
      if (positions == 1) {
        continue;
      }
      extent[is_one ? count - 1 : count] = is_one ? extent[count - 1] * positions : positions;
      count += is_one ? 0 : 1;
      from_step[count - 1] = from_here;
      to_step[count - 1] = to_here;
    }
  }
};

/// Copies modes from `mode` on recursively; a run that is contiguous on both sides is one memcpy.
void copy_from_mode(const JoinedModes& modes, size_t mode, int64_t size, const std::byte* source,
                    std::byte* target) noexcept {
  const int64_t from_step = modes.from_step[mode];
  const int64_t to_step = modes.to_step[mode];
  if (mode + 1 < modes.count) {
    for (int64_t position = 0; position < modes.extent[mode]; ++position) {
      copy_from_mode(modes, mode + 1, size, source + position * from_step,
                     target + position * to_step);
    }
  } else if (from_step == size && to_step == size) {
    std::memcpy(target, source, static_cast<size_t>(modes.extent[mode] * size));
  } else {
    copy_strided_run(size, modes.extent[mode], source, from_step, target, to_step);
  }
}

}  // namespace

Box box_of(const TileView& view) {
  return {view.origin.to_vector(), view.shape.to_vector()};
}

TileView dense_view(std::byte* data, DType dtype, const Box& box) {
  TileView view{data, dtype, box.extent, box.extent, box.origin};
  int64_t stride = 1;
  for (size_t mode = view.strides.size(); mode-- > 0;) {
    view.strides[mode] = stride;
    stride *= view.shape[mode];
  }
  return view;
}

TileView subview(const TileView& view, const Box& box) {
  TileView part = view;
  part.shape = box.extent;
  part.origin = box.origin;
  for (size_t mode = 0; mode < box.origin.size(); ++mode) {
    part.data += (box.origin[mode] - view.origin[mode]) * view.strides[mode] * size_of(view.dtype);
  }
  return part;
}

bool is_dense(const TileView& view) {
  int64_t expected = 1;
  for (size_t mode = view.shape.size(); mode-- > 0;) {
    if (view.shape[mode] != 1 && view.strides[mode] != expected) {
      return false;
    }
    expected *= view.shape[mode];
  }
  return true;
}

void copy_elements(const TileView& from, const TileView& to) noexcept {
  if (num_elements(from.shape) == 0) {
    return;
  }
  const int64_t size = size_of(from.dtype);
  const JoinedModes modes(from, to);
  if (modes.count == 0) {
    std::memcpy(to.data, from.data, static_cast<size_t>(size));
  } else {
    copy_from_mode(modes, 0, size, from.data, to.data);
  }
}

}  // namespace tessera
