#pragma once

#include <functional>
#include <vector>

#include "optimizer/partition/problem/problem.h"

namespace tessera::optimizer::partition {

using assignment::Assignment;

/// A measure of how well a vector fits a rule of thumb: compared number by number, the greater the
/// better.
using Fitness =
    std::function<std::vector<double>(size_t statement, const std::vector<int64_t>& piece_lengths)>;

/// Chooses the fittest alternative of every statement, in topological order; among equals the one
/// that costs least by itself and in repartition of its operands.
Assignment fittest(const Problem& problem, const Fitness& fitness);

}  // namespace tessera::optimizer::partition
