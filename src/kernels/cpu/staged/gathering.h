#pragma once

#include <span>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// Fills `copy`, whose data has room for it, with what is gathered over the ranges of a call; its
/// shape and place are set here. A position outside of the mode without a boundary is out_of_range,
/// and the call is told which.
Status stage_gathered(const KernelCall& call, int32_t operand, const Gathered& gathered,
                      std::span<const LabelRange> ranges, TileView& copy) noexcept;

}  // namespace tessera::kernels
