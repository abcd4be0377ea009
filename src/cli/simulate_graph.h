#pragma once

#include <vector>

#include "cli/options.h"
#include "simulate/simulation.h"
#include "simulate/workload.h"

namespace tessera::cli {

/// Simulates a graph with costs, which the program of the options is the file of, under every
/// placement that they ask for, and prints what came of each.
void simulate_graph(const SimulateOptions& options);

/// Writes the trace where the options ask for one.
void write_simulation_trace(const SimulateOptions& options, const simulate::Simulation& simulation,
                            const std::vector<simulate::ActivityInfo>& activities);

}  // namespace tessera::cli
