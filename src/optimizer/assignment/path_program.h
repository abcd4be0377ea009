#pragma once

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// True if no variable is read at more than one place, so that one dynamic program is exact.
bool is_forest(const Problem& problem);

/// Runs the dynamic program of EinDecomp §8: over all variables if the graph is a forest; else
/// repeatedly over the longest path of variables that are not assigned yet, with all others at no
/// cost. Deterministic: the first of several longest paths and of several cheapest alternatives.
Assignment linearised(const Problem& problem);

}  // namespace tessera::optimizer::assignment
