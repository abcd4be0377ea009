#pragma once

#include <vector>

#include "engine/planning/stages.h"
#include "engine/setup/setup.h"

namespace tessera::engine {

/// The seconds in which all workers of all sites make each vertex of the optimized program, as the
/// plan estimates, reading and moving of what it needs among them. What several vertices are made
/// by at once counts for the last of them. REQUIRES a plan of a program over whole tensors. Errors:
/// those of for_each_frame.
std::vector<double> seconds_of_vertices(const Stages& stages, const Setup& setup);

/// What it takes to write a tensor to a checkpoint, to sum it up and to read it again.
double seconds_to_keep(const ArrayType& type, const Setup& setup);

}  // namespace tessera::engine
