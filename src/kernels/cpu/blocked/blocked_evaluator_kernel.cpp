#include "kernels/cpu/blocked/evaluator_cost.h"
#include "kernels/cpu/blocked/evaluator_plan.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/registry.h"

/// blocked_evaluator: runs any statement over blocks of kBlock elements, one block function per
/// node.
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

namespace {

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  const OrRefusal<EvaluatorPlan> plan = plan_evaluator(program, shape, context);
  if (!plan) {
    return plan.refusal();
  }
  return KernelPlan{plan->cost, plan->evaluator->workspace_bytes(),
                    [ready = plan->evaluator] { return ready; }};
}

}  // namespace

void register_kernel_blocked_evaluator(Registry& registry);

void register_kernel_blocked_evaluator(Registry& registry) {
  registry.add({"blocked_evaluator", {}, &read});
}

}  // namespace tessera::kernels
