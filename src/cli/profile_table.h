#pragma once

#include "engine/explain/plan_profile.h"
#include "machine/machine.h"

namespace tessera::cli {

/// Prints the cost of every statement of a plan, on stdout: estimated by the rates of a machine
/// and, after a run, measured.
void print_profile(const engine::PlanProfile& profile, double planning_seconds,
                   const Machine& machine);

}  // namespace tessera::cli
