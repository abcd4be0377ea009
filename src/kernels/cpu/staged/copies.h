#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// What the copy of an operand takes for a band, in bytes.
int64_t bytes_of(const StagedPlan::Operand& operand, const std::vector<LabelRange>& band);

/// Whether readings of a framed operand leave it, as far as that can be told without its extent:
/// a boundary that stands only where a label is shorter than the mode is never met.
bool leaves_operand(const Framed& framed, const expr::TileProgram& program);

}  // namespace tessera::kernels
