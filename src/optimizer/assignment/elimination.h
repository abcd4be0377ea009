#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/assignment/problem.h"

namespace tessera::optimizer::assignment {

/// Limits of an exact search: numbers in all its tables, and numbers it looks at.
struct EliminationLimits {
  double most_entries = 1 << 22;  // 32 MiB
  double most_work = 1 << 28;
};

/// Returns the cheapest assignment with these alternatives by variable. Eliminates one variable
/// after the other (bucket elimination over the tree decomposition that the order induces: Dechter,
/// Bucket Elimination, AIJ 113, 1999). The next variable is always the one whose elimination makes
/// the smallest table; min-fill would ignore that variables may have few alternatives left.
///
/// Returns nothing if the tables or the work would exceed the limits. REQUIRES no list is empty.
std::optional<Assignment> eliminate(const Problem& problem,
                                    std::vector<std::vector<int32_t>> alternatives,
                                    const EliminationLimits& limits);

}  // namespace tessera::optimizer::assignment
