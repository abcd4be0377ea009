#include "optimizer/assignment/improve.h"

#include <algorithm>
#include <utility>

namespace tessera::optimizer::assignment {

namespace {

/// Sweeps after which a slow descent is given up: little is left to gain.
constexpr int kMostSweeps = 20;

/// Gives the variable its cheapest alternative. Returns true if that is another one than before.
bool improve_one(const Problem& problem, Assignment& assignment, size_t variable) {
  const std::vector<double> costs = local_costs(problem, assignment, variable);
  const auto cheapest =
      static_cast<int32_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
  return std::exchange(assignment[variable], cheapest) != cheapest;
}

}  // namespace

void improve(const Problem& problem, Assignment& assignment) {
  bool changed = true;
  for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
    changed = false;
    for (size_t position = 0; position < assignment.size(); ++position) {
      const bool is_forward = sweep % 2 == 0;
      const size_t variable = is_forward ? position : assignment.size() - 1 - position;
      changed = improve_one(problem, assignment, variable) || changed;
    }
  }
}

}  // namespace tessera::optimizer::assignment
