#pragma once

#include <string>
#include <vector>

#include "optimizer/partition/search/fittest.h"

namespace tessera::optimizer::partition {

/// Rules of thumb that planners are compared with. Each chooses among the same alternatives as
/// every planner, so that all plans have equally many calls. If a rule leaves several open, it
/// takes the cheapest, statement by statement.

/// Cuts every label into equally many pieces: a matrix sqrt(p) by sqrt(p), the product of two by
/// the 3D algorithm (Agarwal et al., IBM J. Res. Dev. 39(5), 1995).
Assignment evenly_cut(const Problem& problem);

/// Cuts the labels of these names as finely as possible, the first name first, wherever they occur.
Assignment cut_along(const Problem& problem, const std::vector<std::string>& names);

/// Cuts the batch as finely as possible wherever it occurs: the first mode of the first input that
/// has several, followed from statement to statement (EinDecomp §9.2, "data parallel").
Assignment data_parallel(const Problem& problem);

}  // namespace tessera::optimizer::partition
