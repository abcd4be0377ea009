#pragma once

#include <string>

#include "placement/planner.h"
#include "placement/two_phase/pilot.h"

namespace tessera::placement::two_phase {

/// Places a program by join groups and aggregation groups, which a method assigns statement by
/// statement. The cost by the model goes into the report under `name`.
ia::Graph place_by_groups(const std::string& name, const Method& method,
                          const tra::Graph& relations, const PlannerContext& around,
                          optimizer::OptimizeReport& report);

}  // namespace tessera::placement::two_phase
