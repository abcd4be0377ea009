#pragma once

#include <span>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// True if a boundary gives a number for what lies outside.
bool is_padded(const expr::Boundary& outside) noexcept;

/// Writes the number that a boundary gives for what lies outside, as often as is said; false for a
/// boundary that gives none.
bool fill_outside(const expr::Boundary& outside, DType type, std::byte* to, int64_t count) noexcept;

/// The part of an operand that readings take over these ranges, with what their boundaries say of
/// what lies outside: the operand itself where nothing does. Else `copy`, whose data has room for
/// it, is filled; its shape and place are set here.
void stage_framed(const TileView& operand, const Framed& framed, std::span<const LabelRange> ranges,
                  TileView& copy) noexcept;

}  // namespace tessera::kernels
