#pragma once

#include "kernels/cpu/windows/window_plan.h"

namespace tessera::kernels {

/// An array of a block in memory, by the operand's modes; strides in elements.
struct WindowData {
  std::byte* data = nullptr;
  PerMode extents;
  PerMode strides;
};

/// Returns a dense array, row-major in its modes.
WindowData dense_array(std::byte* data, const PerMode& extents) noexcept;

/// Runs one step over a block, line by line. If `merges`, the result is merged into the present
/// values. Threads: any number on distinct results.
void run_step(const WindowStep& step, size_t num_modes, const WindowAggregate::State& state,
              const WindowData& from, const WindowData& to, bool merges) noexcept;

}  // namespace tessera::kernels
