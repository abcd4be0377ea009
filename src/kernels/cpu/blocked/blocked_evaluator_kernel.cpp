#include "kernels/cpu/blocked/evaluator_plan.h"
#include "kernels/registry.h"

/// blocked_evaluator: runs any statement over blocks of kBlock elements, one block function per
/// node.
namespace tessera::kernels::kernel_blocked_evaluator {

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

void register_kernel(Registry& registry) {
  registry.add({"blocked_evaluator", {}, &read});
}

}  // namespace tessera::kernels::kernel_blocked_evaluator
