#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulate/cluster.h"
#include "simulate/simulation.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// "compute", "move", "read" or "write".
std::string_view name_of(ActivityKind kind);

/// The figures of a simulation as one JSON object; doc/simulate.md describes every member.
std::string json_report(const Simulation& simulation, const Cluster& cluster);

/// When everything ran as Chrome trace events (JSON, for chrome://tracing or Perfetto): a process
/// for each site, in it a row for each core that was ever busy and rows for what arrives; times in
/// microseconds. REQUIRES the activities that were simulated.
std::string trace_of(const Simulation& simulation, const std::vector<ActivityInfo>& activities);

}  // namespace tessera::simulate
