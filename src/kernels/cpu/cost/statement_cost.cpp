#include "kernels/cpu/cost/statement_cost.h"

#include <algorithm>

namespace tessera::kernels {

namespace {

double calls_in(const std::vector<expr::Scalar>& bodies) {
  int64_t calls = 0;
  for (const expr::Scalar& body : bodies) {
    calls += std::count_if(body.nodes.begin(), body.nodes.end(), [](const expr::Node& node) {
      return std::holds_alternative<expr::Call>(node.op);
    });
  }
  return static_cast<double>(calls);
}

}  // namespace

double num_positions(const std::vector<expr::LabelNumber>& labels, const CallShape& shape) {
  double positions = 1;
  for (const expr::LabelNumber label : labels) {
    positions *= static_cast<double>(shape.ranges[static_cast<size_t>(label)].length);
  }
  return positions;
}

double num_calls(const expr::TileStatement& statement) {
  const expr::Monoid* monoid = expr::monoid_of(statement);
  return calls_in(statement.bodies) + (monoid == nullptr ? 0 : calls_in(monoid->combine));
}

double bytes_moved(const expr::TileStatement& statement, const CallShape& shape) {
  double bytes = 0;
  for (const expr::Scalar& body : statement.bodies) {
    double elements = num_positions(statement.out, shape);
    for (const expr::Access* access : expr::accesses_of(body)) {
      elements += expr::num_read(body, *access, [&](expr::LabelNumber label) {
        return shape.ranges[static_cast<size_t>(label)].length;
      });
    }
    bytes += elements * static_cast<double>(size_of(body.dtype()));
  }
  return bytes;
}

}  // namespace tessera::kernels
