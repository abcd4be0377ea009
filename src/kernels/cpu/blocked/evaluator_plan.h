#pragma once

#include <memory>

#include "kernels/context.h"
#include "kernels/cpu/blocked/evaluator.h"

namespace tessera::kernels {

/// The plan of blocked_evaluator for a statement, with every function interpreted, and the cost of
/// a call.
struct EvaluatorPlan {
  std::shared_ptr<const BlockedEvaluator> evaluator;
  Cost cost;
};

/// Plans a program of one statement, or says why the evaluator does not run it.
OrRefusal<EvaluatorPlan> plan_evaluator(const expr::TileProgram& program, const CallShape& shape,
                                        const Context& context);

}  // namespace tessera::kernels
