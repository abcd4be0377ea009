#pragma once

#include <string>
#include <vector>

#include "optimizer/partition/search/fittest.h"

namespace tessera::optimizer::partition {

/// The rules of thumb that planners are compared with. Each chooses among the same alternatives as
/// every planner, so that all plans have equally many calls; where a rule leaves several open, the
/// cheapest is taken, statement by statement.

/// Every label is cut into as many pieces as any other: a matrix sqrt(p) by sqrt(p), the product of
/// two by the 3D algorithm (Agarwal et al., IBM J. Res. Dev. 39(5), 1995).
Assignment evenly_cut(const Problem& problem);

/// The labels of these names are cut as finely as possible, the first name first, wherever they
/// occur.
Assignment cut_along(const Problem& problem, const std::vector<std::string>& names);

/// The batch is cut as finely as possible wherever it occurs: the first mode of the first input
/// that has several, followed from statement to statement (EinDecomp §9.2, "data parallel").
Assignment data_parallel(const Problem& problem);

}  // namespace tessera::optimizer::partition
