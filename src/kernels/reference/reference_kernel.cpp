#include "kernels/context.h"
#include "kernels/reference/interpreter.h"
#include "kernels/registry.h"

namespace tessera::kernels::kernel_reference {

namespace {

/// Counts the elements that a statement evaluates: the product of the lengths of its labels.
double num_evaluations(const expr::TileStatement& statement, const CallShape& shape) {
  double count = 1;
  for (const std::vector<expr::LabelNumber>* labels :
       {&statement.out, &expr::reduced_labels(statement)}) {
    for (const expr::LabelNumber label : *labels) {
      count *= static_cast<double>(shape.ranges[static_cast<size_t>(label)].length);
    }
  }
  return count;
}

Cost cost_of(const expr::TileProgram& program, const CallShape& shape, const KernelRates& rates) {
  Cost cost;
  for (const expr::TileStatement& statement : program.statements) {
    const expr::Monoid* monoid = expr::monoid_of(statement);
    double nodes = monoid == nullptr ? 0 : static_cast<double>(monoid->combine.size());
    for (const expr::Scalar& body : statement.bodies) {
      nodes += static_cast<double>(body.nodes.size());
      const auto num_reads = static_cast<double>(expr::accesses_of(body).size());
      cost.bytes += num_evaluations(statement, shape) * num_reads *
                    static_cast<double>(size_of(body.dtype()));
    }
    cost.flops += num_evaluations(statement, shape) * nodes;
  }
  cost.seconds = cost.flops * rates.interpreted_node_seconds;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  // A plan that puts a kernel last needs bits that do not depend on the choice of kernels.
  const Isa isa = context.last_kernel.empty() ? Isa::scalar : context.machine.isa;
  return KernelPlan{
      cost_of(program, shape, context.machine.rates), Interpreter::workspace_bytes(program, shape),
      [program, shape, isa] { return std::make_shared<const Interpreter>(program, shape, isa); }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"reference",
                {.several_statements = true,
                 .leaves = true,
                 .scans = true,
                 .every_monoid = true,
                 .every_index = true},
                &read});
}

}  // namespace tessera::kernels::kernel_reference
