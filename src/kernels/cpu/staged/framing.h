#pragma once

#include <span>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// True if a boundary defines a number outside.
bool is_padded(const expr::Boundary& outside) noexcept;

/// Writes the number that a boundary defines outside, `count` times. Returns false for a boundary
/// without one.
bool fill_outside(const expr::Boundary& outside, DType type, std::byte* to, int64_t count) noexcept;

/// Stages the part of an operand that readings take over these ranges, with the values that their
/// boundaries define outside. If nothing is outside, that is the operand itself; else `copy`, whose
/// data has room for it, is filled, and its shape and place are set.
void stage_framed(const TileView& operand, const Framed& framed, std::span<const LabelRange> ranges,
                  TileView& copy) noexcept;

}  // namespace tessera::kernels
