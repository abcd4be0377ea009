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

/// True if two accesses walk one operand by the same labels, so that one reads what the other has
/// read, except for some elements at its sides: the points of a stencil.
bool reads_beside(const expr::Access& one, const expr::Access& other) {
  const auto labels_of = [](const expr::Index& index) {
    std::vector<expr::LabelNumber> labels;
    expr::for_each_label(index, [&](expr::LabelNumber label) { labels.push_back(label); });
    return labels;
  };
  return one.operand == other.operand &&
         std::equal(one.index.begin(), one.index.end(), other.index.begin(), other.index.end(),
                    [&](const expr::Index& a, const expr::Index& b) {
                      return a == b || (expr::is_linear(a) && expr::is_linear(b) &&
                                        labels_of(a) == labels_of(b));
                    });
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
  const double results = num_positions(statement.out, shape);
  double bytes = 0;
  for (const expr::Scalar& body : statement.bodies) {
    bytes += results * static_cast<double>(size_of(body.dtype()));
    std::vector<const expr::Access*> known;
    expr::for_each_access(body, [&](const expr::Access& access, DType dtype) {
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const expr::Access* other) {
        return reads_beside(access, *other);
      });
      const double elements =
          is_known ? 0 : expr::num_read(body, access, [&](expr::LabelNumber label) {
            return shape.ranges[static_cast<size_t>(label)].length;
          });
      bytes += elements * static_cast<double>(size_of(dtype));
      known.push_back(&access);
    });
  }
  return bytes;
}

}  // namespace tessera::kernels
