#pragma once

#include <span>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// The operands of a band: the inputs of the call, then what is staged so far.
using StagedViews = std::span<const TileView>;

/// Fills `copy`, a dense array with a mode for each label of what is gathered, over the ranges of a
/// call. A position outside of the mode without a boundary is out_of_range, and the call is told
/// which.
Status gather_into(const KernelCall& call, StagedViews operands, int32_t operand,
                   const Gathered& gathered, std::span<const LabelRange> ranges,
                   const TileView& copy) noexcept;

/// Tells the call which read lies outside of its mode: the first from this element on of an array
/// as `copy`, of which only the shape counts.
void note_outside(const KernelCall& call, StagedViews operands, int32_t operand,
                  const Gathered& gathered, std::span<const LabelRange> ranges,
                  const TileView& copy, int64_t element) noexcept;

/// Fills `copy`, whose data has room for it, with what is gathered; its shape and place are set
/// here.
Status stage_gathered(const KernelCall& call, StagedViews operands, int32_t operand,
                      const Gathered& gathered, std::span<const LabelRange> ranges,
                      TileView& copy) noexcept;

}  // namespace tessera::kernels
