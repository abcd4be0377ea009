#pragma once

#include "kernels/context.h"
#include "kernels/cpu/blocked/evaluator.h"

namespace tessera::kernels {

/// Returns the expected cost of a call of an evaluator, which runs one function after the other.
Cost evaluator_cost(const expr::TileStatement& statement, const BlockedEvaluator& evaluator,
                    const CallShape& shape, const Context& context);

}  // namespace tessera::kernels
