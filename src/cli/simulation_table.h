#pragma once

#include <string>

#include "simulate/cluster.h"
#include "simulate/simulation.h"

namespace tessera::cli {

/// What a simulation found, for people: how long, why not shorter, and what each site does. Of more
/// than 16 sites the least, the middle and the most of every figure stand for all.
std::string simulation_text(const simulate::Simulation& simulation,
                            const simulate::Cluster& cluster);

}  // namespace tessera::cli
