#pragma once

#include <string>

#include "simulate/cluster.h"
#include "simulate/simulation.h"

namespace tessera::cli {

/// Formats the results of a simulation for people: the time, its bound, and the work of each site.
/// Of more than 16 sites the least, the middle and the greatest of every figure stand for all.
std::string simulation_text(const simulate::Simulation& simulation,
                            const simulate::Cluster& cluster);

}  // namespace tessera::cli
