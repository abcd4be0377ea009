#include "kernels/cpu/blocked/transfer.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/half_conversion.h"
#include "types/native.h"

namespace tessera::kernels {

namespace {

bool is_half(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16;
}

bool is_stored_as_computed(const BlockView& view) {
  return !view.stream->is_index && !is_half(view.stream->dtype);
}

bool is_dense(const BlockView& view) {
  int64_t step = view.stream->unit();
  for (int dim = 0; dim < view.num_dims; ++dim) {
    if (view.extent(dim) != 1 && view.step(dim) != step) {
      return false;
    }
    step *= view.extent(dim);
  }
  return true;
}

/// Returns the box between a stream and a dense buffer; `stream_is_read` tells the direction.
StridedBox box_of(const BlockView& view, bool stream_is_read) {
  StridedBox box;
  int64_t dense = size_of(view.stream->dtype);
  for (int dim = 0; dim < view.num_dims; ++dim) {
    const int64_t step = view.step(dim);
    box.add(view.extent(dim), stream_is_read ? step : dense, stream_is_read ? dense : step);
    dense *= view.extent(dim);
  }
  return box;
}

void load_index(const BlockView& view, int64_t* buffer) {
  buffer[0] = view.origin;
  int64_t filled = 1;
  for (int dim = 0; dim < view.num_dims; ++dim) {
    const int64_t step = view.step(dim);
    if (filled == 1) {
      for (int64_t e = 1; e < view.extent(dim); ++e) {
        buffer[e] = view.origin + e * step;
      }
    } else {
      for (int64_t e = 1; e < view.extent(dim); ++e) {
        std::transform(buffer, buffer + filled, buffer + e * filled,
                       [&](int64_t value) { return value + e * step; });
      }
    }
    filled *= view.extent(dim);
  }
}

void widen(DType dtype, const uint16_t* from, float* to, int64_t count) {
  if (dtype == DType::f16) {
    floats_from_f16(from, to, count);
  } else {
    floats_from_bf16(from, to, count);
  }
}

void narrow(DType dtype, const float* from, uint16_t* to, int64_t count) {
  if (dtype == DType::f16) {
    f16_from_floats(from, to, count);
  } else {
    bf16_from_floats(from, to, count);
  }
}

}  // namespace

bool is_uniform(const BlockView& view) noexcept {
  for (int dim = 0; dim < view.num_dims; ++dim) {
    if (view.step(dim) != 0) {
      return false;
    }
  }
  return true;
}

void* dense_at(const BlockView& view) noexcept {
  return is_stored_as_computed(view) && is_dense(view) ? address_of(view) : nullptr;
}

bool in_place(const BlockView& view) noexcept {
  const bool is_in_vectors = view.count * size_of(view.stream->dtype) % 64 == 0;
  return is_in_vectors && is_stored_as_computed(view) && is_dense(view);
}

void load_block(const BlockView& view, void* buffer, uint16_t* staging) noexcept {
  const DType dtype = view.stream->dtype;
  if (view.stream->is_index) {
    load_index(view, static_cast<int64_t*>(buffer));
  } else if (!is_half(dtype)) {
    copy_box(address_of(view), static_cast<std::byte*>(buffer), size_of(dtype), box_of(view, true));
  } else if (is_dense(view)) {
    widen(dtype, reinterpret_cast<const uint16_t*>(address_of(view)), static_cast<float*>(buffer),
          view.count);
  } else {
    copy_box(address_of(view), reinterpret_cast<std::byte*>(staging), size_of(dtype),
             box_of(view, true));
    widen(dtype, staging, static_cast<float*>(buffer), view.count);
  }
}

void splat_block(const BlockView& view, void* buffer, int64_t count) noexcept {
  if (view.stream->is_index) {
    std::fill_n(static_cast<int64_t*>(buffer), count, view.origin);
    return;
  }
  if (is_half(view.stream->dtype)) {
    float value = 0;
    widen(view.stream->dtype, reinterpret_cast<const uint16_t*>(address_of(view)), &value, 1);
    std::fill_n(static_cast<float*>(buffer), count, value);
    return;
  }
  StridedBox box;
  const int64_t unit = size_of(view.stream->dtype);
  box.add(count, 0, unit);
  copy_box(address_of(view), static_cast<std::byte*>(buffer), unit, box);
}

void store_block(const BlockView& view, const void* buffer, uint16_t* staging) noexcept {
  const DType dtype = view.stream->dtype;
  if (!is_half(dtype)) {
    copy_box(static_cast<const std::byte*>(buffer), address_of(view), size_of(dtype),
             box_of(view, false));
  } else if (is_dense(view)) {
    narrow(dtype, static_cast<const float*>(buffer), reinterpret_cast<uint16_t*>(address_of(view)),
           view.count);
  } else {
    narrow(dtype, static_cast<const float*>(buffer), staging, view.count);
    copy_box(reinterpret_cast<const std::byte*>(staging), address_of(view), size_of(dtype),
             box_of(view, false));
  }
}

}  // namespace tessera::kernels
