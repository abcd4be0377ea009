#pragma once

#include <cstddef>

#include "types/array_type.h"
#include "types/mode_values.h"

namespace tessera {

/// A dense or strided array in memory, with its place in its tensor. Owns nothing, and making one
/// allocates nothing.
///
/// Element p (tile coordinates) lies at data + sizeof(element) * sum(p[m] * strides[m]); in the
/// tensor it is element origin + p.
struct TileView {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  ModeValues shape;    // extents
  ModeValues strides;  // in elements; may be 0 or negative
  ModeValues origin;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// Returns the part of the tensor that a view shows.
Box box_of(const TileView& view);

/// Makes a dense row-major view of a buffer that holds `box` of a tensor. Errors: `unsupported` for
/// more than kMostModes modes.
TileView dense_view(std::byte* data, DType dtype, const Box& box);

/// Returns the part of a view that covers `box` (tensor coordinates). REQUIRES box inside the view.
TileView subview(const TileView& view, const Box& box);

/// True if the view's elements are contiguous in row-major order.
bool is_dense(const TileView& view);

/// Copies the elements of `from` to `to`. REQUIRES equal dtypes and shapes, no overlap. No
/// allocation, no throw.
void copy_elements(const TileView& from, const TileView& to) noexcept;

}  // namespace tessera
