#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/problem/fineness.h"

namespace tessera::optimizer::partition {

using Lengths = std::vector<int64_t>;  // of the pieces, by label

/// Returns numbers of pieces below the requested one, the fewest last, for statements that copy
/// files: longer runs of bytes may be worth more than tiles that stay in the cache.
std::vector<int64_t> fewer_products(const StatementModel& statement, const Fineness& fineness);

/// Returns the cuts of a slice of a statement that are considered (EinDecomp §8.1): as many pieces
/// as a fineness requests, or fewer or more if that may be worth it. Sorted, each once; not empty.
std::vector<Lengths> all_lengths(const StatementModel& statement, const Fineness& fineness);

}  // namespace tessera::optimizer::partition
