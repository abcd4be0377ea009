#pragma once

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// Gives each variable in turn its cheapest alternative, with all others fixed, until nothing
/// changes; among equals the first. The cost never rises.
void improve(const Problem& problem, Assignment& assignment);

}  // namespace tessera::optimizer::assignment
