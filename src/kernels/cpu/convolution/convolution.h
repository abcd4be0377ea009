#pragma once

#include <optional>
#include <vector>

#include "kernels/kernel.h"
#include "types/shape.h"

namespace tessera::kernels {

/// One direction in which a window moves: out[i] reads data[step * i + spread * tap + offset].
struct WindowDirection {
  expr::LabelNumber place = 0;  // i
  expr::LabelNumber tap = 0;
  int64_t step = 1;
  int64_t spread = 1;
};

/// A statement read as a convolution:
///
///     out[batch, filter, i...] = sum over channel, tap... of
///         data[batch, channel, step * i + spread * tap + offset, ...] * weights[filter, channel,
///         tap...]
///
/// with its modes in any order. A group is in data, weights and out, and stands alone (a depthwise
/// convolution).
struct Convolution {
  expr::Access data;
  expr::Access weights;
  std::vector<WindowDirection> directions;  // 1 to 3, in the order of the data's modes
  std::optional<expr::LabelNumber> batch;
  std::optional<expr::LabelNumber> channel;
  std::optional<expr::LabelNumber> filter;
  std::optional<expr::LabelNumber> group;
  DType type = DType::f32;
};

/// Reads a program as a convolution that reads nothing outside, or returns why it is none.
OrRefusal<Convolution> read_as_convolution(const expr::TileProgram& program);

/// Returns the elements that a call reads in every mode of an access with linear indices, from the
/// first to the last.
Shape extents_read(const expr::Access& access, const CallShape& shape);

}  // namespace tessera::kernels
