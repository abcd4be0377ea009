#pragma once

#include <vector>

#include "optimizer/partition/planner.h"

namespace tessera::optimizer::partition {

/// The cheapest assignment, or the best found with a bound on what any could save.
///
/// Starts are improved one statement at a time. A lower bound rules out alternatives that cannot be
/// part of a cheaper assignment; as soon as those left are few enough, elimination finds the
/// cheapest. Where they do not become so within a fixed number of steps, the bound tells the gap.
/// Never costs more than any start. REQUIRES at least one start.
Solution exact_search(const Problem& problem, std::vector<Assignment> starts);

}  // namespace tessera::optimizer::partition
