#pragma once

#include <array>
#include <vector>

#include "kernels/cpu/windows/window_aggregate.h"
#include "machine/machine.h"

namespace tessera::kernels {

constexpr size_t kMostWindowModes = 8;
constexpr size_t kMostWindowStates = 8;

/// One number per mode of the operand; the first modes are set.
using PerMode = std::array<int64_t, kMostWindowModes>;

/// The extents of a block's array while its windows are merged, in the order of the operand's
/// modes: for `p` places in mode m it has scale[m] * (p - 1) + 1 + extra[m] elements.
struct WindowArray {
  PerMode scale;
  PerMode extra;
};

/// A merge along one mode: to[i] = merge over t < num_taps of from[offset + place_step * i +
/// tap_step * t], in elements of the mode.
struct WindowStep {
  size_t from = 0;
  size_t to = 0;
  size_t mode = 0;
  int64_t offset = 0;
  int64_t place_step = 1;
  int64_t tap_step = 1;
  int64_t num_taps = 1;
  bool continues = false;  // merges into the present values of `to`
};

/// The plan of merging windows: mode after mode, so that a box of a x b elements takes a + b
/// merges, and many taps of one mode by merging the merges of 4, 16, 64, ... of them. So no sum in
/// a window of n numbers is longer than n.
///
/// Array 0 is the merged one (the operand, or its lifted elements), the last array the result;
/// those between are in the workspace.
struct WindowPlan {
  std::vector<WindowArray> arrays;
  std::vector<WindowStep> steps;
  PerMode block;  // places that are computed at a time
  Cost cost;

  PerMode extents(size_t array, const PerMode& places) const;
  int64_t num_elements(size_t array, const PerMode& places) const;
  /// Returns the first array of one state that is in the workspace, before the last.
  size_t first_held(const WindowAggregate& windows) const { return windows.lift == nullptr; }
  size_t last_held(const WindowAggregate& windows) const {
    return arrays.size() - (windows.is_in_order() ? 1 : 0);
  }
};

WindowPlan plan_windows(const WindowAggregate& windows, const expr::TileStatement& statement,
                        const CallShape& shape, const Context& context);

/// Returns the bytes of a state's arrays for a block of these places.
int64_t bytes_held(const WindowAggregate& windows, const WindowPlan& plan, DType type,
                   const PerMode& places);

}  // namespace tessera::kernels
