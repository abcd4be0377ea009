#pragma once

#include <vector>

#include "cli/options.h"
#include "simulate/simulation.h"
#include "simulate/workload.h"

namespace tessera::cli {

/// Simulates a graph with costs, from the options' program file, under every placement that they
/// ask for, and prints the result of each.
void simulate_graph(const SimulateOptions& options);

/// Writes the trace if the options ask for one.
void write_simulation_trace(const SimulateOptions& options, const simulate::Simulation& simulation,
                            const std::vector<simulate::ActivityInfo>& activities);

}  // namespace tessera::cli
