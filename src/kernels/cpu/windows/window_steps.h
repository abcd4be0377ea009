#pragma once

#include "kernels/cpu/windows/window_plan.h"

namespace tessera::kernels {

/// An array of a block in memory, by the operand's modes; strides in elements.
struct WindowData {
  std::byte* data = nullptr;
  PerMode extents;
  PerMode strides;
};

/// An array whose modes lie one in the other.
WindowData dense_array(std::byte* data, const PerMode& extents) noexcept;

/// Runs one step over a block, line by line. Where `merges` is set, the result is merged into what
/// is there. Threads: any number on distinct results.
void run_step(const WindowStep& step, size_t num_modes, const WindowAggregate::State& state,
              const WindowData& from, const WindowData& to, bool merges) noexcept;

}  // namespace tessera::kernels
