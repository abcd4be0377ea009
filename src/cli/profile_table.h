#pragma once

#include "engine/explain/plan_profile.h"

namespace tessera::cli {

/// Prints what every statement of a plan costs, on stdout: estimated and, after a run, measured.
void print_profile(const engine::PlanProfile& profile, double planning_seconds);

}  // namespace tessera::cli
