#pragma once

#include "machine/machine.h"
#include "plan/task_graph.h"
#include "simulate/cluster.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// Refuses a cluster of more sites than a plan has tasks for. Errors: `unsupported`.
void check_num_sites(const Cluster& cluster);

/// Refuses a plan that does not run under this much memory on each site. Errors: `resource`.
void check_memory(const plan::TaskGraph& graph, int64_t bytes_of_each);

/// Makes a plan the workload of a cluster. Its estimates are for `machine` (machine_of), a core of
/// speed 1. The disk takes its own part of the estimate for a file's tile. REQUIRES a site of the
/// cluster for each of the plan.
Workload workload_of(const plan::TaskGraph& graph, const Cluster& cluster, const Machine& machine);

}  // namespace tessera::simulate
