#pragma once

#include <optional>

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// What a search found.
struct Solution {
  Assignment assignment;
  double cost = 0;
  /// No assignment costs less; where it equals the cost, the
  /// assignment is optimal. Costs above 2^29 are compared to nine digits.
  std::optional<double> lower_bound;
};

}  // namespace tessera::optimizer::assignment
