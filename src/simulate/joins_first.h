#pragma once

#include "plan/task_graph.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// The workload of a plan, as a system runs it that aggregates when it has joined: a site sends or
/// merges a partial result only when it has made all that it makes without merged ones.
///
/// `workload` is that of workload_of(graph, ...); what is returned has its activities in another
/// order, and barriers between them. Errors: `unsupported` where a task writes to a tile that was
/// merged before, as no order of these is one of joins and merges in turn.
/// Source: Two-phase execution of aggregated join trees, section 7: "at each site, there is a
/// single n-way join, followed by a distributed aggregation".
Workload joins_first(const Workload& workload, const plan::TaskGraph& graph);

}  // namespace tessera::simulate
