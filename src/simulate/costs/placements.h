#pragma once

#include <cstdint>
#include <string>

#include "simulate/costs/schedule.h"

namespace tessera::simulate {

/// Schedules by Heterogeneous Earliest Finish Time (Topcuoglu, Hariri and Wu 2002): tasks by their
/// longest path to the end, each on the site where it ends first, in the first gap that fits it.
Schedule heft(const CostModel& model);

/// Schedules by annealing. It starts from the faster of HEFT and a greedy placement that keeps a
/// task with its costliest input, and tries single changes: another site for a task, another place
/// in the order. Never slower by the estimate than either. Bounded by steps with a fixed seed, so
/// the same graph gets the same schedule.
Schedule searched(const CostModel& model);

/// Returns the placement in the graph itself. Errors: `user` for a task with no site or an unknown
/// one.
Schedule given(const CostModel& model);

}  // namespace tessera::simulate
