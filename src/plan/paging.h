#pragma once

#include <cstdint>

#include "plan/task_graph.h"

namespace tessera::plan {

/// What a budget makes a run move, in bytes and tiles.
struct Paging {
  int64_t spilled_bytes = 0;  // written to the spill file
  int64_t num_spills = 0;
  int64_t loaded_bytes = 0;  // read back from there, or read again from sources
  int64_t num_loads = 0;
};

/// What a run in serial order pages out and in under a budget, by the runtime's own policy
/// (residency.h). A run on several workers has more tiles in use at once and may page more.
/// REQUIRES a budget of at least smallest_budget(graph). Cost: O((tasks + pages) * log(tiles)).
Paging forecast_paging(const TaskGraph& graph, int64_t budget);

}  // namespace tessera::plan
