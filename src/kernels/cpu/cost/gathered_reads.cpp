#include "kernels/cpu/cost/gathered_reads.h"

#include <algorithm>
#include <set>

#include "kernels/cpu/cost/random_access.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

bool is_gathered(const expr::Access& access) {
  bool is_so = false;
  for (const expr::Index& index : access.index) {
    expr::for_each_node(index, [&](int32_t) { is_so = true; });
  }
  return is_so;
}

double length_of(LabelNumber label, const CallShape& shape) {
  return static_cast<double>(shape.ranges[static_cast<size_t>(label)].length);
}

/// Returns the labels at which the positions of an access are looked up.
std::set<LabelNumber> labels_of_tables(const expr::Scalar& body, const expr::Access& access) {
  std::set<LabelNumber> labels;
  for (const expr::Index& index : access.index) {
    expr::for_each_node(index, [&](int32_t node) {
      const std::vector<LabelNumber> below = expr::labels_below(body, node);
      labels.insert(below.begin(), below.end());
    });
  }
  return labels;
}

/// Returns the seconds that all reads of one access wait for memory. Positions along the last label
/// form rows if no table depends on that label.
double waiting_seconds(const expr::Scalar& body, const expr::Access& access, DType dtype,
                       const CallShape& shape, double table_bytes, const Machine& machine) {
  std::set<LabelNumber> labels = labels_of_tables(body, access);
  double row_bytes = static_cast<double>(size_of(dtype));
  const std::optional<LabelNumber> last = expr::plain_label(access.index.back());
  const bool has_rows = last && labels.count(*last) == 0;
  row_bytes *= has_rows ? length_of(*last, shape) : 1;
  for (const expr::Index& index : access.index) {
    expr::for_each_label(index, [&](LabelNumber label) { labels.insert(label); });
  }
  double rows = 1;
  for (const LabelNumber label : labels) {
    rows *= has_rows && label == *last ? 1 : length_of(label, shape);
  }
  return rows * random_row_seconds(row_bytes, table_bytes, machine.caches);
}

}  // namespace

bool gathers_inputs(const expr::TileProgram& program) {
  bool gathers = false;
  expr::for_each_access(program, [&](const expr::Access& access, DType) {
    gathers = gathers || (access.operand < program.num_inputs && is_gathered(access));
  });
  return gathers;
}

double waiting_seconds(const expr::TileProgram& program, const CallShape& shape,
                       std::span<const int64_t> input_bytes, const Machine& machine) {
  double seconds = 0;
  for (const expr::TileStatement& statement : program.statements) {
    for (const expr::Scalar& body : statement.bodies) {
      expr::for_each_access(body, [&](const expr::Access& access, DType dtype) {
        if (access.operand < program.num_inputs && is_gathered(access)) {
          const auto bytes = static_cast<double>(input_bytes[static_cast<size_t>(access.operand)]);
          seconds += waiting_seconds(body, access, dtype, shape, bytes, machine);
        }
      });
    }
  }
  return seconds;
}

}  // namespace tessera::kernels
