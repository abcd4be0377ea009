#include "kernels/cpu/blocked/evaluator_plan.h"

#include "kernels/cpu/blocked/evaluator_cost.h"
#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

OrRefusal<EvaluatorPlan> plan_evaluator(const expr::TileProgram& program, const CallShape& shape,
                                        const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const expr::TileStatement& statement = program.statements[0];
  auto evaluator = BlockedEvaluator::compile(statement, shape, context.machine.isa);
  if (!evaluator) {
    return evaluator.refusal();
  }
  const Cost cost = evaluator_cost(statement, **evaluator, shape, context);
  return EvaluatorPlan{std::move(*evaluator), cost};
}

}  // namespace tessera::kernels
