#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulate/cluster.h"
#include "simulate/simulation.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// Returns "compute", "move", "read" or "write".
std::string_view name_of(ActivityKind kind);

/// Formats the figures of a simulation as one JSON object; doc/simulate.md describes every member.
std::string json_report(const Simulation& simulation, const Cluster& cluster);

/// Formats the periods of all activities as Chrome trace events (JSON, for chrome://tracing or
/// Perfetto): a process for each site, with a row for each core that was ever busy and rows for
/// incoming moves; times in microseconds. REQUIRES the activities that were simulated.
std::string trace_of(const Simulation& simulation, const std::vector<ActivityInfo>& activities);

}  // namespace tessera::simulate
