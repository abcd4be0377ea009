#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/assignment/elimination.h"
#include "optimizer/assignment/solution.h"

namespace tessera::optimizer::assignment {

/// When an exact search gives up and a bound on the gap has to do: after about half a second.
struct SearchLimits {
  int64_t most_work = 400'000'000;  // pairs of classes that the lower bound looks at
  int most_sweeps = 200;
  EliminationLimits elimination = {};
};

/// The cheapest assignment, or the best found with a bound on what any could save.
///
/// Starts are improved one variable at a time. A lower bound rules out alternatives that cannot be
/// part of a cheaper assignment; as soon as those left are few enough, elimination finds the
/// cheapest. Where they do not become so within the limits, the bound tells the gap.
/// Never costs more than any start. REQUIRES at least one start.
Solution exact_search(const Problem& problem, std::vector<Assignment> starts,
                      const SearchLimits& limits = {});

}  // namespace tessera::optimizer::assignment
