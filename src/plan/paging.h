#pragma once

#include <cstdint>

#include "plan/memory.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// The paging of a run under budgets, in bytes and tiles of all spaces.
struct Paging {
  int64_t spilled_bytes = 0;  // written to the spill file
  int64_t num_spills = 0;
  int64_t loaded_bytes = 0;  // read back from there, or read again from sources
  int64_t num_loads = 0;

  Paging& operator+=(const Paging& other) {
    spilled_bytes += other.spilled_bytes;
    num_spills += other.num_spills;
    loaded_bytes += other.loaded_bytes;
    num_loads += other.num_loads;
    return *this;
  }
};

/// Forecasts the paging of a run in serial order under a budget for every space, by the runtime's
/// own policy (residency.h). A run on several workers has more tiles in use at once and may page
/// more. REQUIRES budgets of at least smallest_budget(graph, space). Cost: O((tasks + pages) *
/// log(tiles)).
Paging forecast_paging(const TaskGraph& graph, const Budgets& budgets);

}  // namespace tessera::plan
