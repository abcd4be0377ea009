#pragma once

#include "placement/two_phase/pilot.h"

namespace tessera::placement::two_phase {

/// A program on its sites, as a pilot run says: every operator makes each tuple on one site, and
/// what is needed elsewhere is sent from there, at most once to each site. REQUIRES the graph that
/// the pilot ran on.
ia::Graph placed_graph(const ia::Graph& graph, const Piloted& piloted, int32_t num_sites);

}  // namespace tessera::placement::two_phase
