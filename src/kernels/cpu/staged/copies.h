#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// Returns the bytes of an operand's copy for a band.
int64_t bytes_of(const StagedPlan::Operand& operand, const std::vector<LabelRange>& band);

/// True if readings of a framed operand may leave it, judged without its extent: a boundary that
/// stands only because a label is shorter than the mode is never met.
bool leaves_operand(const Framed& framed, const expr::TileProgram& program);

}  // namespace tessera::kernels
