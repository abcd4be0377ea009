#pragma once

#include <span>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// Fills `copy`, whose data has room for it, with what is gathered over these ranges; its shape and
/// place are set here. A position outside of the mode without a boundary is out_of_range.
Status stage_gathered(const TileView& operand, const Gathered& gathered, const TileView& table,
                      std::span<const LabelRange> ranges, TileView& copy) noexcept;

}  // namespace tessera::kernels
