#pragma once

#include <span>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// The operands of a band: the inputs of the call, then those staged so far.
using StagedViews = std::span<const TileView>;

/// Fills `copy`, a dense array with a mode for each label of the gathered operand, over the ranges
/// of a call. A position outside of the mode without a boundary is out_of_range, and is noted in
/// the call.
Status gather_into(const KernelCall& call, StagedViews operands, int32_t operand,
                   const Gathered& gathered, std::span<const LabelRange> ranges,
                   const TileView& copy) noexcept;

/// Notes in the call the first read outside of its mode, from this element on of an array like
/// `copy`, of which only the shape counts.
void note_outside(const KernelCall& call, StagedViews operands, int32_t operand,
                  const Gathered& gathered, std::span<const LabelRange> ranges,
                  const TileView& copy, int64_t element) noexcept;

/// Fills `copy`, whose data has room for it, with gathered elements, and sets its shape and place.
Status stage_gathered(const KernelCall& call, StagedViews operands, int32_t operand,
                      const Gathered& gathered, std::span<const LabelRange> ranges,
                      TileView& copy) noexcept;

}  // namespace tessera::kernels
