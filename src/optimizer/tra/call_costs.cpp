#include "optimizer/tra/call_costs.h"

#include <algorithm>
#include <limits>

#include "ir/tra/infer.h"
#include "kernels/choice.h"
#include "optimizer/tra/share_subexpressions.h"

namespace tessera::optimizer {

kernels::CallShape largest_call(const expr::TileProgram& program,
                                const std::vector<tra::KeyDim>& key) {
  kernels::CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    const int dim = tra::find_key_dim(key, label.name);
    const ModeGrid* grid = dim < 0 ? nullptr : tra::grid_of(key[static_cast<size_t>(dim)]);
    int64_t length = grid == nullptr ? label.extent : 0;
    for (int64_t piece = 0; grid != nullptr && piece < grid->num_pieces(); ++piece) {
      length = std::max(length, grid->length(piece));
    }
    shape.ranges.push_back({0, length});
  }
  return shape;
}

/// Returns the seconds of a program. A new program is copied, a shared one is not.
template <class Program>
double CallCosts::known_seconds(const Program& program, const kernels::CallShape& shape) {
  if (const double* known = seconds_.find(program, shape)) {
    return *known;
  }
  const OrRefusal<kernels::Choice> choice = kernels::cheapest(program, shape, context_);
  return seconds_.add(program, shape,
                      choice ? choice->plan.cost.seconds : std::numeric_limits<double>::infinity());
}

double CallCosts::seconds(const Shared<expr::TileProgram>& program,
                          const kernels::CallShape& shape) {
  return known_seconds(program, shape);
}

Shared<expr::TileProgram> CallCosts::sharing(const Shared<expr::TileProgram>& program,
                                             const kernels::CallShape& shape) {
  if (const Shared<expr::TileProgram>* known = sharing_.find(program, shape)) {
    return *known;
  }
  const auto is_better = [&](const expr::TileProgram& now, const expr::TileProgram& instead) {
    return known_seconds(instead, shape) < known_seconds(now, shape);
  };
  return sharing_.add(program, shape, share_subexpressions(program, is_better));
}

}  // namespace tessera::optimizer
