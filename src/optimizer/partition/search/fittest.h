#pragma once

#include <functional>
#include <vector>

#include "optimizer/partition/problem/problem.h"

namespace tessera::optimizer::partition {

using assignment::Assignment;

/// How well a vector fits a rule of thumb: compared number by number, the greater the better.
using Fitness =
    std::function<std::vector<double>(size_t statement, const std::vector<int64_t>& piece_lengths)>;

/// In topological order, the fittest alternative of every statement; of equally fit ones that which
/// costs least for itself and for the repartition of what it reads.
Assignment fittest(const Problem& problem, const Fitness& fitness);

}  // namespace tessera::optimizer::partition
