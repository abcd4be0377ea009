#pragma once

#include <cstddef>
#include <vector>

#include "types/array_type.h"

namespace tessera {

/// A dense or strided array in memory and the place it has in its tensor. Owns nothing.
///
/// Element p (tile coordinates) lies at data + sizeof(element) * sum(p[m] * strides[m]); in the
/// tensor it is element origin + p.
struct TileView {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  Shape shape;
  Strides strides;
  std::vector<int64_t> origin;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// A dense row-major view of a buffer that holds `box` of a tensor.
TileView dense_view(std::byte* data, DType dtype, const Box& box);

/// The part of a view that covers `box` (tensor coordinates). REQUIRES box inside the view.
TileView subview(const TileView& view, const Box& box);

/// Whether the view's elements lie one after the other in row-major order.
bool is_dense(const TileView& view);

/// Copies the elements of `from` to `to`. REQUIRES equal dtypes and shapes, no overlap. No
/// allocation, no throw.
void copy_elements(const TileView& from, const TileView& to) noexcept;

}  // namespace tessera
