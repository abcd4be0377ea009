#include "kernels/reference/interpreter.h"
#include "kernels/registry.h"

namespace tessera::kernels {

namespace {

constexpr double kSecondsPerNode = 1e-8;  // one node of one element, measured on a 2.5 GHz Xeon

/// Elements that a statement evaluates: the product of the lengths of its labels.
double num_evaluations(const expr::TileStatement& statement, const CallShape& shape) {
  double count = 1;
  for (const std::vector<expr::LabelNumber>* labels : {&statement.out, &statement.over}) {
    for (const expr::LabelNumber label : *labels) {
      count *= static_cast<double>(shape.ranges[static_cast<size_t>(label)].length);
    }
  }
  return count;
}

std::string refuses(const expr::TileProgram& program, const CallShape& shape) {
  if (shape.accumulate && !program.statements.back().reduce.has_value()) {
    return "accumulating needs a last statement that reduces";
  }
  return "";
}

Cost cost(const expr::TileProgram& program, const CallShape& shape) {
  Cost cost;
  for (const expr::TileStatement& statement : program.statements) {
    double nodes =
        statement.reduce.has_value() ? static_cast<double>(statement.reduce->combine.size()) : 0;
    for (const expr::Scalar& body : statement.bodies) {
      nodes += static_cast<double>(body.nodes.size());
      const auto num_reads = static_cast<double>(expr::accesses_of(body).size());
      cost.bytes += num_evaluations(statement, shape) * num_reads *
                    static_cast<double>(size_of(body.dtype()));
    }
    cost.flops += num_evaluations(statement, shape) * nodes;
  }
  cost.seconds = cost.flops * kSecondsPerNode;
  return cost;
}

std::unique_ptr<PreparedKernel> prepare(const expr::TileProgram& program, const CallShape& shape) {
  return std::make_unique<Interpreter>(program, shape);
}

}  // namespace

void register_kernel_reference(Registry& registry) {
  registry.add({"reference", &refuses, &cost, &prepare, true});
}

}  // namespace tessera::kernels
