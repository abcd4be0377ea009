#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/partition/problem/problem.h"

namespace tessera::optimizer::partition {

/// What an exact search may take: numbers in all its tables, and numbers looked at.
struct EliminationLimits {
  double most_entries = 1 << 22;  // 32 MiB
  double most_work = 1 << 28;
};

/// The cheapest assignment with these alternatives by statement, found by eliminating one statement
/// after the other (bucket elimination over the tree decomposition that the order induces: Dechter,
/// Bucket Elimination, AIJ 113, 1999). Next is always the statement whose elimination makes the
/// smallest table, which min-fill does not see where statements have few alternatives left.
///
/// Nothing where the tables or the work would exceed the limits. REQUIRES no list is empty.
std::optional<Assignment> eliminate(const Problem& problem,
                                    std::vector<std::vector<int32_t>> alternatives,
                                    const EliminationLimits& limits);

}  // namespace tessera::optimizer::partition
