#pragma once

#include "plan/task_graph.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// Returns the workload of a plan on a system that aggregates after joining: a site sends or merges
/// a partial result only after it has made everything that it can make without merged ones.
///
/// `workload` is that of workload_of(graph, ...). The result has its activities in another order,
/// with barriers between them. Errors: `unsupported` if a task writes to a tile that was merged
/// before, because these cannot be ordered as alternate joins and merges.
/// Source: Two-phase execution of aggregated join trees, section 7: "at each site, there is a
/// single n-way join, followed by a distributed aggregation".
Workload joins_first(const Workload& workload, const plan::TaskGraph& graph);

}  // namespace tessera::simulate
