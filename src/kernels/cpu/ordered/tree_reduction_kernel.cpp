#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "kernels/context.h"
#include "kernels/cpu/cost/element_seconds.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/ordered/tree_reduction.h"
#include "kernels/leaf_order.h"
#include "kernels/registry.h"

/// tree_reduction: any reduction with a leaf whose leaves have lanes (leaf_order.h), over blocks
/// (tree_reduction.h).
namespace tessera::kernels::kernel_tree_reduction {

namespace {

/// Returns why the kernel does not reduce a statement on such calls, or none if it may.
std::optional<Refusal> refusal_of(const expr::TileProgram& program, const CallShape& shape) {
  const expr::TileStatement& statement = program.statements[0];
  if (expr::stated_leaf(statement) == nullptr) {
    return Refusal{"it runs a statement with a leaf"};
  }
  if (shape.accumulate) {
    return Refusal{"it merges nothing into its outputs"};
  }
  if (chain_of(program)) {
    return Refusal{"its leaves are chains"};
  }
  for (const DType dtype : expr::reduction_of(statement)->monoid.state) {
    if (compute_type(dtype) != dtype) {
      return Refusal{fmt::format("it keeps no state of {}", name_of(dtype))};
    }
  }
  return too_many_labels(program.labels.size(), kMaxLabels - 1);
}

/// Returns the seconds of one position, once its elements are in the cache.
double seconds_of_position(const expr::TileStatement& statement, const Context& context) {
  double seconds = 1 / context.machine.rates.leaf_positions_per_second;
  for (const auto* expressions :
       {&statement.bodies, &expr::reduction_of(statement)->monoid.combine}) {
    for (const expr::Scalar& expression : *expressions) {
      seconds += seconds_per_element(expression, context);
    }
  }
  return seconds;
}

Cost cost_of(const expr::TileStatement& statement, bool adds_rows, const CallShape& shape,
             const Context& context) {
  const KernelRates& rates = context.machine.rates;
  const double positions =
      num_positions(statement.out, shape) * num_positions(expr::reduced_labels(statement), shape);
  Cost cost;
  cost.flops = positions * num_calls(statement);
  cost.bytes = bytes_moved(statement, shape);
  cost.seconds = rates.call_seconds + cost.bytes / rates.bytes_per_second +
                 positions * (adds_rows ? 1 / rates.steps_per_second
                                        : seconds_of_position(statement, context));
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = refusal_of(program, shape)) {
    return std::move(*refusal);
  }
  const expr::TileStatement& statement = program.statements[0];
  const auto kernel = TreeReduction::compile(statement, shape, context.machine.isa);
  if (!kernel) {
    return kernel.refusal();
  }
  return KernelPlan{cost_of(statement, (*kernel)->adds_rows(), shape, context),
                    (*kernel)->workspace_bytes(), [ready = *kernel] { return ready; }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"tree_reduction", {.leaves = true}, &read});
}

}  // namespace tessera::kernels::kernel_tree_reduction
