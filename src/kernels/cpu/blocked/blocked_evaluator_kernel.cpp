#include "kernels/context.h"
#include "kernels/cpu/blocked/evaluator.h"
#include "kernels/cpu/blocked/evaluator_cost.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/registry.h"

/// blocked_evaluator: runs any statement over blocks of kBlock elements, one block function per
/// node.
namespace tessera::kernels {

namespace {

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const expr::TileStatement& statement = program.statements[0];
  const auto evaluator = BlockedEvaluator::compile(statement, shape, context.machine.isa);
  if (!evaluator) {
    return evaluator.refusal();
  }
  return KernelPlan{evaluator_cost(statement, **evaluator, shape, context),
                    (*evaluator)->workspace_bytes(), [ready = *evaluator] { return ready; }};
}

}  // namespace

void register_kernel_blocked_evaluator(Registry& registry);

void register_kernel_blocked_evaluator(Registry& registry) {
  registry.add({"blocked_evaluator", {}, &read});
}

}  // namespace tessera::kernels
