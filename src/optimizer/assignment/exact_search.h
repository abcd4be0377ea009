#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/assignment/elimination.h"
#include "optimizer/assignment/solution.h"

namespace tessera::optimizer::assignment {

/// Limits after which an exact search gives up, in about half a second, and returns a bound on the
/// gap.
struct SearchLimits {
  int64_t most_work = 400'000'000;  // pairs of classes that the lower bound looks at
  int most_sweeps = 200;
  EliminationLimits elimination = {};
};

/// Finds the cheapest assignment, or the best one within the limits with a bound on the possible
/// saving.
///
/// Improves each start one variable at a time. A lower bound rules out alternatives that cannot be
/// part of a cheaper assignment. As soon as few enough are left, elimination finds the cheapest. If
/// the limits are met before that, the bound tells the gap. Never costs more than any start.
/// REQUIRES at least one start.
Solution exact_search(const Problem& problem, std::vector<Assignment> starts,
                      const SearchLimits& limits = {});

}  // namespace tessera::optimizer::assignment
