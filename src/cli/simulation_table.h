#pragma once

#include <string>

#include "simulate/cluster.h"
#include "simulate/simulation.h"

namespace tessera::cli {

/// Formats the results of a simulation for people: the time, its bound, and the work of each site.
/// If there are more than 16 sites, it shows the least, the middle and the greatest
/// value of each figure.
std::string simulation_text(const simulate::Simulation& simulation,
                            const simulate::Cluster& cluster);

}  // namespace tessera::cli
