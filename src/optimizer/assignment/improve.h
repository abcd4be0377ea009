#pragma once

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// Gives one variable after the other its cheapest alternative, all else as it is, until nothing
/// changes; of equally cheap ones the first. The cost never rises.
void improve(const Problem& problem, Assignment& assignment);

}  // namespace tessera::optimizer::assignment
