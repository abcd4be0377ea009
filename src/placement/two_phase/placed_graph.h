#pragma once

#include "placement/two_phase/pilot.h"

namespace tessera::placement::two_phase {

/// Makes the placed program of a pilot run: every operator makes each tuple on one site, and sends
/// it to each other site that needs it, once. REQUIRES the graph that the pilot ran on.
ia::Graph placed_graph(const ia::Graph& graph, const Piloted& piloted, int32_t num_sites);

}  // namespace tessera::placement::two_phase
