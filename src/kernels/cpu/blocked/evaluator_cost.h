#pragma once

#include "kernels/context.h"
#include "kernels/cpu/blocked/evaluator.h"

namespace tessera::kernels {

/// What a call of an evaluator is expected to take, one function after the other.
Cost evaluator_cost(const expr::TileStatement& statement, const BlockedEvaluator& evaluator,
                    const CallShape& shape, const Context& context);

}  // namespace tessera::kernels
