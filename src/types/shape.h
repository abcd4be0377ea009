#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

using Shape = std::vector<int64_t>;    // extents, one per mode
using Strides = std::vector<int64_t>;  // steps in elements, one per mode; may be 0 or negative

/// Returns the product of the extents; 1 for a scalar.
int64_t num_elements(const Shape& shape);

/// Returns the row-major strides of a dense tensor (the last mode is contiguous).
Strides dense_strides(const Shape& shape);

/// Formats a shape: "[2,3]"; "[]" for a scalar.
std::string to_string(const Shape& shape);

/// A part of a tensor in its coordinates: [origin, origin + extent) per mode.
struct Box {
  std::vector<int64_t> origin;
  Shape extent;
  friend bool operator==(const Box&, const Box&) = default;
};

/// Returns the whole of a tensor.
Box whole(const Shape& shape);

/// Returns the common part of two boxes of the same number of modes; an extent is 0 if they do not
/// meet.
Box intersect(const Box& a, const Box& b);

}  // namespace tessera
