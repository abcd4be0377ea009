#pragma once

#include <optional>

#include "optimizer/partition/problem/problem.h"

namespace tessera::optimizer::partition {

/// A planner's answer. Costs are in elements moved, those of files among them (model/cost.h).
struct Solution {
  Assignment assignment;
  double cost = 0;
  /// No assignment of the problem's alternatives costs less; where it equals the cost, the
  /// assignment is optimal. Costs above 2^29 are compared to nine digits.
  std::optional<double> lower_bound;
};

}  // namespace tessera::optimizer::partition
