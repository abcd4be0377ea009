#pragma once

#include "base/refusal.h"
#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// Returns the gather that a body is, without its labels and instruction set: the last node reads
/// an operand at tables, and all other nodes are these tables.
OrRefusal<Gathered> gathered_by(const expr::Scalar& body);

}  // namespace tessera::kernels
