#pragma once

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// Whether no variable is read at more than one place, so that one dynamic program is exact.
bool is_forest(const Problem& problem);

/// EinDecomp §8: the dynamic program over all variables where the graph is a forest; else again
/// and again over the longest path of variables that are not assigned yet, where what is not on
/// the path costs nothing. Deterministic: the first of several longest paths and of several
/// cheapest alternatives.
Assignment linearised(const Problem& problem);

}  // namespace tessera::optimizer::assignment
