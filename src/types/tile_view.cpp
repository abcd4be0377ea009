#include "types/tile_view.h"

#include <cstring>

namespace tessera {

namespace {

/// Copies `count` elements of a size that the compiler knows, `from_step` and `to_step` bytes
/// apart.
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

/// Copies modes [mode, num_modes) recursively, those behind have one position; a run that is
/// contiguous on both sides is one memcpy.
void copy_from_mode(const TileView& from, const TileView& to, size_t mode, size_t num_modes,
                    const std::byte* source, std::byte* target) noexcept {
  const int64_t size = size_of(from.dtype);
  if (mode == num_modes) {
    std::memcpy(target, source, static_cast<size_t>(size));
    return;
  }
  const int64_t extent = from.shape[mode];
  const bool last = mode + 1 == num_modes;
  if (last && from.strides[mode] == 1 && to.strides[mode] == 1) {
    std::memcpy(target, source, static_cast<size_t>(extent * size));
    return;
  }
  if (last) {
    copy_strided_run(size, extent, source, from.strides[mode] * size, target,
                     to.strides[mode] * size);
    return;
  }
  for (int64_t position = 0; position < extent; ++position) {
    copy_from_mode(from, to, mode + 1, num_modes, source + position * from.strides[mode] * size,
                   target + position * to.strides[mode] * size);
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
  if (is_dense(from) && is_dense(to)) {
    std::memcpy(to.data, from.data,
                static_cast<size_t>(num_elements(from.shape) * size_of(from.dtype)));
    return;
  }
  size_t num_modes = from.shape.size();
  while (num_modes > 0 && from.shape[num_modes - 1] == 1) {
    --num_modes;  // so that a column is one run of elements, not as many runs of one
  }
  copy_from_mode(from, to, 0, num_modes, from.data, to.data);
}

}  // namespace tessera
