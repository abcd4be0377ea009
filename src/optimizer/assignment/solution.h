#pragma once

#include <optional>

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// The result of a search.
struct Solution {
  Assignment assignment;
  double cost = 0;
  /// A bound on the cost of every assignment; if it equals the cost, the assignment is optimal.
  /// Costs above 2^29 are compared to nine digits.
  std::optional<double> lower_bound;
};

}  // namespace tessera::optimizer::assignment
