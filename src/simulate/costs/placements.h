#pragma once

#include <cstdint>
#include <string>

#include "simulate/costs/schedule.h"

namespace tessera::simulate {

/// Heterogeneous Earliest Finish Time (Topcuoglu, Hariri and Wu 2002): tasks by their longest way
/// to the end, each on the site where it ends first, in the first gap that takes it.
Schedule heft(const CostModel& model);

/// Starts from what is quickest of HEFT and a greedy placement that keeps a task with its costliest
/// input, and goes on by annealing over single changes: another site for a task, another place in
/// the order. Never slower by the estimate than either. Bounded by steps with a fixed seed, so the
/// same graph gets the same schedule.
Schedule searched(const CostModel& model);

/// As the graph says itself. Errors: `user` where a task has no site, or one that there is not.
Schedule given(const CostModel& model);

}  // namespace tessera::simulate
