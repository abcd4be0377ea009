#pragma once

#include <optional>
#include <span>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// How an access reads at quotients and remainders of one label, and at labels and fixed places;
/// nothing where it reads otherwise.
std::optional<Wrapped> wrapped_of(const expr::Access& access, const expr::Scalar& body);

/// Fills `copy`, whose data has room for it, with what is read over the ranges of a call; its shape
/// and place are set here. A position outside of the mode is out_of_range, and the call is told
/// which.
Status stage_wrapped(const KernelCall& call, const TileView& operand, int32_t number,
                     const Wrapped& wrapped, std::span<const LabelRange> ranges,
                     TileView& copy) noexcept;

}  // namespace tessera::kernels
