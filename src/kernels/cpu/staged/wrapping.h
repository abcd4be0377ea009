#pragma once

#include <optional>
#include <span>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// Reads an access at quotients and remainders of one label, and at labels and fixed places;
/// nothing for any other.
std::optional<Wrapped> wrapped_of(const expr::Access& access, const expr::Scalar& body);

/// Fills `copy`, whose data has room for it, with the elements read over the ranges of a call, and
/// sets its shape and place. A position outside of the mode is out_of_range, and is noted in the
/// call.
Status stage_wrapped(const KernelCall& call, const TileView& operand, int32_t number,
                     const Wrapped& wrapped, std::span<const LabelRange> ranges,
                     TileView& copy) noexcept;

}  // namespace tessera::kernels
