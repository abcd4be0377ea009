#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// What an exact search may take: numbers in all its tables, and numbers looked at.
struct EliminationLimits {
  double most_entries = 1 << 22;  // 32 MiB
  double most_work = 1 << 28;
};

/// The cheapest assignment with these alternatives by variable, found by eliminating one variable
/// after the other (bucket elimination over the tree decomposition that the order induces: Dechter,
/// Bucket Elimination, AIJ 113, 1999). Next is always the variable whose elimination makes the
/// smallest table, which min-fill does not see where variables have few alternatives left.
///
/// Nothing where the tables or the work would exceed the limits. REQUIRES no list is empty.
std::optional<Assignment> eliminate(const Problem& problem,
                                    std::vector<std::vector<int32_t>> alternatives,
                                    const EliminationLimits& limits);

}  // namespace tessera::optimizer::assignment
